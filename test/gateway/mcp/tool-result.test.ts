import { describe, expect, it } from 'vitest'
import { jsonResult } from '../../../src/gateway/mcp/tool-result.js'

const LATE = {
  freshness_status: 'stale',
  last_updated_at: '2026-11-01T00:00:00.000Z',
  next_refresh_at: '2026-11-02T00:00:00.000Z',
}

const textsOf = (body: unknown) =>
  jsonResult(JSON.stringify(body), 10_000).content.map((part) => ('text' in part ? part.text : ''))

describe('the result of a tool', () => {
  it.each([
    [{ data: [], _meta: LATE }],
    [{ data: { rates: { data: [], _meta: LATE }, again: { _meta: LATE } } }],
  ])('says in a sentence after the JSON that its data are stale: %j', (body) => {
    expect(textsOf(body)).toEqual([
      JSON.stringify(body),
      'These data are stale: the newest are of 2026-11-01T00:00:00.000Z, and newer ones were due at 2026-11-02T00:00:00.000Z. Say so when you use them.',
    ])
  })

  it.each([
    [{ data: [], _meta: { ...LATE, freshness_status: 'fresh' } }],
    [{ data: [], _meta: null }],
    [[1]],
    [null],
  ])('is the JSON alone for fresh data and without freshness: %j', (body) => {
    expect(textsOf(body)).toEqual([JSON.stringify(body)])
  })
})
