import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MB = 2 ** 20

/** What the process needs for itself, and slices; the facts of the body take several times as much. */
const MAX_HEAP_MB = 44

it('a body of company facts of 60 MB is read in a heap that does not hold its facts', {
  timeout: 120_000,
}, async () => {
  const child = resolve(import.meta.dirname, 'children/read-generated.ts')
  const command = [`--max-old-space-size=${MAX_HEAP_MB}`, '--import', 'tsx', child, String(60 * MB)]
  const { stdout } = await promisify(execFile)(process.execPath, command)
  const read = JSON.parse(stdout)
  expect(read).toMatchObject({ rows: 1, rejected: 0 })
  expect(read.bytes).toBeGreaterThan(60 * MB)
  expect(read.peak).toBeLessThan(32 * MB)
})
