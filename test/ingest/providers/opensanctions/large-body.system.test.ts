import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readInSmallHeap } from '../../../support/processes/small-heap.js'

const CHILD = resolve(import.meta.dirname, 'children/read-generated.ts')
const MB = 1e6

it('a body of OpenSanctions of 60 MB is read in a heap that does not hold it', {
  timeout: 120_000,
}, async () => {
  expect(await readInSmallHeap(CHILD, 60 * MB)).toMatchObject({ rows: 4_080, rejected: 0 })
})
