import { expect, it } from 'vitest'
import { requestedPart } from '../../../../src/gateway/rest/release-files/requested-part.js'

const FILE = { etag: '"file"', size: 100 }

it.each([
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-100', { first: 0, last: 99 }],
  ['bytes=-500', { first: 0, last: 99 }],
  ['bytes=-99999999999999999999999', { first: 0, last: 99 }],
  ['bytes=0-9,-500', { first: 0, last: 99 }],
  ['bytes=90-500', { first: 90, last: 99 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=100-', 'unsatisfiable'],
  ['lines=-500', null],
])('reads Range: %s of a file of 100 bytes as RFC 9110 says', (range, part) => {
  const header = (name: string) => (name === 'range' ? range : null)
  expect(requestedPart({ header }, FILE)).toEqual(part)
})
