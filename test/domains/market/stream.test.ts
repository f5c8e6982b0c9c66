import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeRevisionCursor } from '../../../src/platform/request/revision-cursor.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { socketClient } from '../../support/peers/socket-client.js'
import { candleOf, commitCandles, quotesAround } from './made-candles.js'

interface Event {
  readonly ohlcv: {
    readonly asset_id: string
    readonly timeframe: string
    readonly candle: { readonly ts: string; readonly vwap_usd: number; readonly consensus_status: string }
  }
}

const FIELDS =
  '{ cursor asset_id ticker timeframe known_from source candle { ts vwap_usd consensus_status } }'

describe('the subscription ohlcv', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(() => app?.close())

  const commit = async (timeframe: '1h' | '1d', ts: string, price: number, assetId = 1) => {
    app.clock.advance(1_000)
    const row = candleOf({ assetId, timeframe, ts: new Date(ts) }, quotesAround(price))
    await commitCandles(app.database, [row], app.clock.now())
    app.clock.advance(1_000) // the versions that were read meanwhile have aged
  }

  it('sends the candles of its asset and timeframe, and corrections, when they are committed', async () => {
    const client = socketClient(app.url, { 'X-API-Key': key })
    app.clock.advance(1_000) // what the seed has is known before
    const cursor = encodeRevisionCursor({ knownFrom: app.clock.now(), key: '' })
    const events = client.iterate<Event>({
      query: `subscription { ohlcv(id: "bitcoin", timeframe: "1h", cursor: "${cursor}") ${FIELDS} }`,
    })
    const received: unknown[] = []
    const next = async () => {
      const { value } = await events.next()
      if (!value?.data) throw new Error('the subscription ended')
      const { asset_id, timeframe, candle } = value.data.ohlcv
      received.push([asset_id, timeframe, candle.ts, Math.round(candle.vwap_usd)])
    }
    const first = next()
    await commit('1d', '2026-11-19T00:00:00Z', 50_000)
    await commit('1h', '2026-11-20T11:00:00Z', 60_000, 2)
    await commit('1h', '2026-11-01T11:00:00Z', 60_000) // before what is followed
    await commit('1h', '2026-11-20T11:00:00Z', 61_000)
    await first
    const second = next()
    await commit('1h', '2026-11-20T11:00:00Z', 62_000)
    await second
    expect(received).toEqual(
      [
        ['bitcoin', '1h', '2026-11-20T11:00:00.000Z', 61_000],
        ['bitcoin', '1h', '2026-11-20T11:00:00.000Z', 62_000],
      ].map(([slug, timeframe, ts, price]) => [slug, timeframe, ts, expect.closeTo(Number(price), -2)]),
    )
    await client.dispose()
  })

  it('is refused without the scope of hours, for an asset without candles, and for a wrong timeframe', async () => {
    const refused = async (args: string, caller: string, variables = {}) => {
      const types = 'timeframe' in variables ? '($timeframe: Timeframe)' : ''
      const answer = await app.graphql(`subscription ${types} { ohlcv(${args}) { cursor } }`, {
        key: caller,
        headers: { accept: 'text/event-stream' },
        variables,
      })
      return answer.body.errors?.[0]?.extensions
    }
    const free = await app.newKey({ tier: 'free' })
    expect(await refused('id: "bitcoin", timeframe: "1h"', free)).toMatchObject({
      code: 'FORBIDDEN',
      required_scope: 'ohlcv:intraday',
    })
    expect(await refused('id: "apple"', key)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refused('id: "bitcoin", timeframe: "1w"', key)).toMatchObject({ code: 'BAD_REQUEST' })
    expect(await refused('id: "bitcoin", timeframe: $timeframe', key, { timeframe: '1w' })).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ field: 'timeframe', message: expect.stringContaining('must be one of 1h, 1d') }],
    })
  })
})
