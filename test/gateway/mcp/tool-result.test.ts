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

  it.each(['data', 'items', 'data.candles', 'data.rates'])(
    'of more bytes than are accepted says how many rows at %s fit',
    (path) => {
      const rows = Array.from({ length: 50 }, (_, at) => ({ at, text: 'x'.repeat(80) }))
      const bodyOf = (count: number) =>
        path
          .split('.')
          .reduceRight<unknown>((inner, member) => ({ [member]: inner }), rows.slice(0, count)) as object
      const resultOf = (count: number) => jsonResult(JSON.stringify(bodyOf(count)), 2_000, { hasLimit: true })
      const [text] = resultOf(50).content.map((part) => ('text' in part ? part.text : ''))
      const limit = Number(/Set limit to (\d+), or/.exec(text ?? '')?.[1])
      expect([limit > 10, resultOf(limit).isError ?? false, resultOf(limit + 2).isError]).toEqual([
        true,
        false,
        true,
      ])
    },
  )
})
