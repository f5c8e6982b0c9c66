import { describe, expect, it } from 'vitest'
import {
  describeVersions,
  type KnownVersion,
  listInstants,
  listSpans,
} from '../../src/portal/parts/known/known-version.js'

const PUBLISHED = '2020-03-02T15:00:00.000Z'
const LEARNED = '2026-11-20T10:00:00.000Z'
const CORRECTED = '2026-11-25T09:00:00.000Z'

const RATE: readonly KnownVersion[] = [
  { text: '1.1122', known_from: LEARNED, known_to: CORRECTED, published_from: PUBLISHED },
  { text: '1.1123', known_from: CORRECTED, known_to: null, published_from: CORRECTED },
]

describe('the drawing of what was known when', () => {
  it('begins by observation when the gateway learned a value, by publication when it was published', () => {
    const instants = listInstants(RATE)
    expect(instants).toEqual([PUBLISHED, LEARNED, CORRECTED])
    const spans = (basis: 'observed' | 'published') =>
      listSpans(RATE, basis, instants).map(({ text, start, end }) => [text, start, end])
    expect(spans('observed')).toEqual([
      [null, 0, 1],
      ['1.1122', 1, 2],
      ['1.1123', 2, 3],
    ])
    expect(spans('published')).toEqual([
      ['1.1122', 0, 2],
      ['1.1123', 2, 3],
    ])
  })

  it('says when a value was published, learned and corrected', () => {
    expect(describeVersions('the rate of 2 Mar 2020', RATE)).toBe(
      '1.1122 counts as published from 2 Mar 2020, 15:00 UTC. This gateway learned it on 20 Nov 2026, 10:00 UTC. The newest version, 1.1123, counts from 25 Nov 2026, 09:00 UTC.',
    )
    const observed = RATE.map((version) => ({ ...version, published_from: null }))
    expect(describeVersions('the value of 2020', observed.slice(1))).toBe(
      'This gateway learned the value of 2020, 1.1123, on 25 Nov 2026, 09:00 UTC. The value has not changed since.',
    )
  })

  it('shows that a value without a successor is known no more', () => {
    const [first] = RATE
    const instants = listInstants(RATE.slice(0, 1))
    expect(first && listSpans([first], 'published', instants).map(({ text }) => text)).toEqual([
      '1.1122',
      null,
    ])
  })
})
