import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MB = 1e6

/** What the process needs for itself, a line and the fingerprints of rows; the body alone is larger. */
const MAX_HEAP_MB = 44

it('a body of OpenSanctions of 60 MB is read in a heap that does not hold it', {
  timeout: 120_000,
}, async () => {
  const child = resolve(import.meta.dirname, 'children/read-generated.ts')
  const command = [`--max-old-space-size=${MAX_HEAP_MB}`, '--import', 'tsx', child, String(60 * MB)]
  const { stdout } = await promisify(execFile)(process.execPath, command)
  expect(JSON.parse(stdout)).toMatchObject({ rows: 4_084, rejected: 0 })
})
