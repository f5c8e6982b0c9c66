import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../src/platform/version.js'
import { runScript } from './support/processes/run-script.js'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-cli-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

function cli(...args: readonly string[]) {
  const { DATABASE_URL: _, REDIS_URL: __, ...env } = process.env
  const own = { NODE_ENV: 'development', DATA_DIR: join(home, 'data'), METRICS_PORT: 'none' }
  return runScript('src/cli.ts', args, { ...env, ...own })
}

// Each waits for a process.
describe.concurrent('market-data-gateway', { timeout: 120_000 }, () => {
  it('prints its commands', async () => {
    const { code, out, err } = await cli('--help')
    expect([code, err]).toEqual([0, ''])
    const names = [...out.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name)
    expect(names).toEqual(['start', 'ingest', 'analyse', 'key', 'admin', 'verify', 'release', 'doctor'])
  })

  it('prints the version of the package', async () => {
    expect(await cli('--version')).toEqual({ code: 0, out: `${VERSION}\n`, err: '' })
  })

  it.each([
    ['ingset', 'did you mean ingest?'],
    ['quux', 'use one of: start, ingest, analyse, key, admin, verify, release, doctor'],
  ])('refuses the command %s', async (name, advice) => {
    const err = `market-data-gateway: unknown command "${name}"; ${advice} (see --help)\n`
    expect(await cli(name)).toEqual({ code: 1, out: '', err })
  })

  it('prints its help as an error without a command', async () => {
    const { code, out, err } = await cli()
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^Usage: market-data-gateway <command>/)
  })

  it.each([
    ['ingest', 'Usage: npm run ingest -- <feed>'],
    ['analyse', 'Usage: npm run analyse -- [--asset'],
    ['key', 'Usage: npm run key -- --tier'],
    ['admin', 'Usage: npm run admin -- <command>'],
    ['verify', 'Usage: npm run verify -- consensus'],
    ['release', 'Usage: npm run release -- [--dataset NAME]'],
    ['doctor', 'Usage: npm run admin -- doctor'],
  ])('gives %s its options', async (name, usage) => {
    const { code, out, err } = await cli(name, '--help')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(usage)
  })

  it('starts the gateway, which reads its settings', async () => {
    const { code, out, err } = await cli('start')
    expect([code, out]).toEqual([78, ''])
    expect(err).toMatch(/^The configuration has errors:\n {2}- METRICS_PORT: /)
  })
})
