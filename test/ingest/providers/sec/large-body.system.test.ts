import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readInSmallHeap } from '../../../support/processes/small-heap.js'

const CHILD = resolve(import.meta.dirname, 'children/read-generated.ts')
const MB = 2 ** 20

it('a body of company facts of 60 MB is read in a heap that does not hold its facts', {
  timeout: 120_000,
}, async () => {
  const read = await readInSmallHeap(CHILD, 60 * MB)
  expect(read).toMatchObject({ rows: 1, rejected: 0 })
  expect(read.bytes).toBeGreaterThan(60 * MB)
  expect(read.peak).toBeLessThan(32 * MB)
})
