import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canRender } from '../../../scripts/kubernetes-lint/render-manifests.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Runs npm run check -- kubernetes. */
function check(...directories: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['run', '-s', 'check', '--', 'kubernetes', ...directories],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
  return { status, text: stdout + stderr }
}

describe.skipIf(!canRender())(
  'the manifests (skipped without kubectl and kustomize)',
  { timeout: 300_000 },
  () => {
    let directory: string
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'mdg-kubernetes-'))
    })
    afterAll(() => rmSync(directory, { recursive: true }))

    it('have only fields and values that Kubernetes knows', () => {
      const { status, text } = check()
      expect(text).toContain('base: 11 objects')
      expect(text).toContain('production: 14 objects')
      expect(status).toBe(0)
    })

    it.each([
      [
        'a misspelled field',
        'readOnlyRootFilesystem',
        'readOnlyRootFileSystem',
        "readOnlyRootFileSystem\"' does not exist in type 'ISecurityContext'",
      ],
      [
        'a value that a field does not take',
        'failureThreshold: 6',
        'failureThreshold: often',
        'failureThreshold must be integer',
      ],
      ['an unknown kind', 'kind: PodDisruptionBudget', 'kind: PodDisruptionBudge', 'has no such kind'],
    ])('are refused with %s', (_, right, wrong, message) => {
      const copy = join(directory, 'copy')
      rmSync(copy, { recursive: true, force: true })
      cpSync(join(ROOT, 'scripts/kubernetes'), copy, { recursive: true })
      const file = join(copy, 'base/gateway.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace(right, wrong))
      const { status, text } = check(join(copy, 'production'))
      expect(text).toContain(message)
      expect(status).not.toBe(0)
    })
  },
)
