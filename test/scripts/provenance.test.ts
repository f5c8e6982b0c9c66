import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Statement } from '../../scripts/provenance/statement.js'

const ROOT = resolve(import.meta.dirname, '../..')
const SCRIPT = join(ROOT, 'scripts/provenance.ts')
const TSX = join(ROOT, 'node_modules/tsx/dist/loader.mjs')
const PACKAGE = 'packed-1.2.3.tgz'

describe('npm run provenance', { timeout: 120_000 }, () => {
  let directory: string
  const call = (program: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: 'utf8' })
    return { status, out: stdout, err: stderr }
  }
  const provenance = (...args: readonly string[]) => call(process.execPath, '--import', TSX, SCRIPT, ...args)
  const sha256 = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(directory, name)))
      .digest('hex')

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'mdg-provenance-'))
    const files = { name: 'packed', version: '1.2.3', files: ['sbom.cdx.json'] }
    writeFileSync(join(directory, 'package.json'), JSON.stringify(files))
    writeFileSync(join(directory, 'package-lock.json'), '{"lockfileVersion":3}')
    writeFileSync(join(directory, 'sbom.cdx.json'), '{"bomFormat":"CycloneDX"}')
    writeFileSync(join(directory, '.gitignore'), '*.tgz*\n')
    call('git', 'init', '-q')
    call('git', 'add', '.')
    call('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first')
    expect(call('npm', 'pack', '--silent').out).toBe(`${PACKAGE}\n`)
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it('states the digests of package, lock file and bill of materials, and the revision', () => {
    const { status, out, err } = provenance('--builder', 'https://builder.example/1', PACKAGE)
    expect([status, out, err]).toEqual([0, `${PACKAGE}.provenance.json\n`, ''])
    const text = readFileSync(join(directory, `${PACKAGE}.provenance.json`), 'utf8')
    const { _type, subject, predicateType, predicate } = JSON.parse(text) as Statement // our own file
    expect([_type, predicateType]).toEqual([
      'https://in-toto.io/Statement/v1',
      'https://slsa.dev/provenance/v1',
    ])
    expect(subject).toEqual([{ name: PACKAGE, digest: { sha256: sha256(PACKAGE) } }])
    expect(predicate.buildDefinition.resolvedDependencies).toEqual([
      { name: 'source', digest: { gitCommit: call('git', 'rev-parse', 'HEAD').out.trim() } },
      { name: 'package-lock.json', digest: { sha256: sha256('package-lock.json') } },
    ])
    expect(predicate.buildDefinition.externalParameters).toMatchObject({
      package: 'packed',
      version: '1.2.3',
    })
    expect(predicate.runDetails.builder.id).toBe('https://builder.example/1')
    expect(predicate.runDetails.byproducts).toEqual([
      { name: 'sbom.cdx.json', digest: { sha256: sha256('sbom.cdx.json') } },
    ])
  })

  it('verifies a package by its statement, and refuses one that was changed', () => {
    provenance(PACKAGE)
    expect(provenance('--verify', PACKAGE)).toMatchObject({ status: 0 })
    appendFileSync(join(directory, PACKAGE), 'x')
    const { status, out } = provenance('--verify', PACKAGE)
    expect([status, out]).toEqual([1, expect.stringContaining(`${PACKAGE}: its SHA-256 is `)])
  })

  it('refuses a work tree with changes, whose revision says nothing of the package', () => {
    appendFileSync(join(directory, 'package.json'), '\n')
    const { status, err } = provenance(PACKAGE)
    expect([status, err]).toEqual([1, expect.stringContaining('the work tree has changes')])
  })
})
