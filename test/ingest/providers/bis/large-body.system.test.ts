import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MB = 1e6

/** What the process needs for itself, and slices; the rows of the body take several times as much. */
const MAX_HEAP_MB = 44

it('a body of the BIS of 20 MB is read in a heap that does not hold its rows', {
  timeout: 120_000,
}, async () => {
  const child = resolve(import.meta.dirname, 'children/read-generated.ts')
  const command = [`--max-old-space-size=${MAX_HEAP_MB}`, '--import', 'tsx', child, String(20 * MB)]
  const { stdout } = await promisify(execFile)(process.execPath, command)
  expect(JSON.parse(stdout)).toMatchObject({ rows: 159_600, rejected: 0 })
})
