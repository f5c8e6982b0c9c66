import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readInSmallHeap } from '../../../support/processes/small-heap.js'

const CHILD = resolve(import.meta.dirname, 'children/read-generated.ts')
const MB = 1e6

it('a body of the BIS of 20 MB is read in a heap that does not hold its rows', {
  timeout: 120_000,
}, async () => {
  expect(await readInSmallHeap(CHILD, 20 * MB)).toMatchObject({ rows: 159_600, rejected: 0 })
})
