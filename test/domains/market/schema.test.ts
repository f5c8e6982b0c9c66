import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AssetTier,
  CONSENSUS_METHOD,
  consensus,
  type PublishedSource,
  recompute,
  type VenueInput,
} from '../../../src/core/consensus/consensus.js'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { DISCLAIMER, DISCLAIMER_FR } from '../../../src/core/disclaimer.js'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import type { CandleRow } from '../../../src/domains/market/store.js'
import { writeSupplies } from '../../../src/domains/market/supply-store.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { type GraphQLAnswer, startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { candleOf, commitCandles, quotesAround } from './made-candles.js'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const instant = (text: string) => new Date(`${text}${text.includes('T') ? '' : 'T00:00:00'}Z`)

/** When the first candles were known, and when one of them was revised. */
const KNOWN = instant('2026-11-20T06:00:00')
const REVISED = instant('2026-11-20T08:00:00')

const day = (ts: string, price: number, assetId = 1) =>
  candleOf({ assetId, timeframe: '1d', ts: instant(ts) }, quotesAround(price))

const FEW = { binance: ['100', '5'], kraken: ['101', '4'], okx: 'no_volume' } as const

/** Bitcoin: 400 days up to yesterday but for a gap and a day of too few venues, and the hours of yesterday. */
function bitcoin(): readonly CandleRow[] {
  const made = day('2026-11-19', 68_123.45)
  const days = Array.from({ length: 400 }, (_, index): CandleRow => {
    return { ...made, ts: new Date(made.ts.getTime() - index * DAY_MS) }
  }).filter(({ ts }) => !['2026-11-10', '2026-11-12'].includes(ts.toISOString().slice(0, 10)))
  const few = candleOf({ assetId: 1, timeframe: '1d', ts: instant('2026-11-12') }, FEW)
  const hours = Array.from({ length: 24 }, (_, index): CandleRow => {
    return { ...made, timeframe: '1h', ts: new Date(made.ts.getTime() + index * HOUR_MS) }
  })
  return [...days, few, ...hours]
}

/** The last 40 days of the other crypto assets; the newest candle of asset 3 has too few venues. */
function others(): readonly CandleRow[] {
  const made = day('2026-11-19', 12.5)
  const all = Array.from({ length: 59 * 40 }, (_, index): CandleRow => {
    const ts = new Date(made.ts.getTime() - Math.floor(index / 59) * DAY_MS)
    return { ...made, assetId: 2 + (index % 59), ts }
  })
  return [...all, candleOf({ assetId: 3, timeframe: '1d', ts: made.ts }, FEW)]
}

const UNTRADED: InstrumentFacts = {
  assetId: 9_999,
  slug: 'untraded-coin',
  ticker: 'UNTR',
  name: 'Untraded Coin',
  assetClass: 'crypto',
  tier: 3,
  mic: null,
  isin: null,
  figi: null,
  currency: 'USD',
  sectorGics: null,
  cik: null,
  contract: null,
  lei: null,
  symbols: {},
}

const META = `version cache_hit ai_generated_at ai_mode ai_model benchmark_notice computed_at data_methodology
  data_quality disclaimer disclaimer_lang_canonical disclaimer_translations fallback_used freshness_ts has_next
  is_dev_dataset licensed_for_commercial_use locale methodology_version price_type source total upstream`
const FRESHNESS =
  'data_freshness_seconds last_updated_at next_refresh_at sources freshness_status release undated_rows'
const CANDLE =
  'ts open high low close vwap_usd volume_usd exchanges_count max_source_weight_pct consensus_status'
const OHLCV = `{ data { asset_id ticker timeframe candles { ${CANDLE} } rows } meta { ${META} } _meta { ${FRESHNESS} } }`

interface Candle {
  readonly ts: string
  readonly open: null
  readonly vwap_usd: number | null
  readonly exchanges_count: number
  readonly max_source_weight_pct: number | null
  readonly consensus_status: string
}

interface Ohlcv {
  readonly asset_id: string
  readonly ticker: string
  readonly timeframe: string
  readonly candles: readonly Candle[]
  readonly rows: number
}

interface Enveloped<Data> {
  readonly data: Data
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly error: string
  readonly required_scope?: string
  readonly message: string
  readonly details?: readonly { readonly field: string }[]
}

describe('candles', () => {
  let database: Database
  let app: TestApp
  let pro: string
  /** A crypto asset without a candle. */
  const untraded = UNTRADED.slug
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    await seedWorld(database, SEEDED_AT, ['instruments'])
    await database.transaction((tx) => writeInstruments(tx, [UNTRADED], { knownAt: KNOWN, source: 'seed' }))
    // Statements are counted, and a kept answer runs none.
    app = await startTestApp(quickestDatabase(), { database, env: { CACHE_BYTES: '0' } })
    await commitCandles(app.database, [...bitcoin(), ...others()], KNOWN)
    await commitCandles(app.database, [day('2026-11-15', 70_000)], REVISED)
    const supplies = [1, 3].map((assetId) => ({
      assetId,
      supply: '19800000.5',
      observedAt: KNOWN,
      methodology: 'Counted by hand.',
    }))
    await app.database.transaction((tx) => writeSupplies(tx, supplies, { knownAt: KNOWN, source: 'seed' }))
    pro = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })

  const rest = async (path: string, key = pro) =>
    (await app.rest<Enveloped<Ohlcv>>(`/v1/assets/bitcoin/ohlcv${path}`, { key })).body
  const refusal = async (path: string, key: string) => {
    const { status, body } = await app.rest<Refusal>(`/v1/assets/${path}`, { key })
    return {
      status,
      error: body.error,
      scope: body.required_scope,
      message: body.message,
      details: body.details,
    }
  }

  it.each([
    ['', ''],
    [
      '?timeframe=1h&from=2026-11-19&to=2026-11-20',
      ', timeframe: "1h", from: "2026-11-19", to: "2026-11-20"',
    ],
    ['?from=2026-11-08T13:00:00Z&limit=5', ', from: "2026-11-08T13:00:00Z", limit: 5'],
    ['?as_of=2026-11-20T07:00:00Z&limit=7', ', as_of: "2026-11-20T07:00:00Z", limit: 7'],
    ['?from=2026-11-20&to=2026-11-20', ', from: "2026-11-20", to: "2026-11-20"'],
  ])('are the same in REST and GraphQL: %s', async (query, args) => {
    const asked = `{ answer: ohlcv(id: "bitcoin"${args}) ${OHLCV} }`
    const { body } = await app.graphql<{ answer: unknown }>(asked, { key: pro })
    expect(body.errors).toBeUndefined()
    expect(body.data?.answer).toEqual(await rest(query))
  })

  it('hold every finished window of the last 30 days, oldest first, and say why one has no price', async () => {
    const { data, meta, _meta } = await rest('')
    expect(data).toMatchObject({ asset_id: 'bitcoin', ticker: 'BTC', timeframe: '1d', rows: 30 })
    const dates = data.candles.map(({ ts }) => ts)
    // 30 days before noon lies in the 21st, a window that is whole; of today nothing is finished.
    expect(dates).toEqual(
      Array.from({ length: 30 }, (_, index) =>
        new Date(instant('2026-10-21').getTime() + index * DAY_MS).toISOString(),
      ),
    )
    const withoutPrice = data.candles.filter(({ vwap_usd }) => vwap_usd === null)
    const none = { open: null, high: null, low: null, close: null, vwap_usd: null, volume_usd: null }
    const few = { ...none, max_source_weight_pct: null, consensus_status: 'insufficient_sources' }
    expect(withoutPrice).toEqual([
      { ts: '2026-11-10T00:00:00.000Z', ...few, exchanges_count: 0 },
      { ts: '2026-11-12T00:00:00.000Z', ...few, exchanges_count: 2 },
    ])
    const expected = day('2026-11-19', 68_123.45)
    expect(data.candles.at(-1)).toEqual({
      ts: '2026-11-19T00:00:00.000Z',
      ...none,
      vwap_usd: Number(expected.vwapUsd),
      volume_usd: Number(expected.volumeUsd),
      exchanges_count: 4,
      max_source_weight_pct: Number(expected.maxSourceWeight),
      consensus_status: 'ok',
    })
    expect(meta).toMatchObject({
      price_type: 'consensus_vwap',
      methodology_version: 'vwap-consensus-1',
      data_methodology: `${CONSENSUS_METHOD.summary} http://127.0.0.1:4000/docs/guides/methodology#consensus-prices`,
      data_quality: 'partial',
      total: 30,
      has_next: false,
      is_dev_dataset: true,
      source: 'seed',
    })
    expect(_meta).toMatchObject({ sources: ['seed'], last_updated_at: REVISED.toISOString() })
  })

  it('are full, partial or empty', async () => {
    const quality = async (query: string) => (await rest(query)).meta.data_quality
    expect(await quality('?from=2026-11-13')).toBe('full')
    expect(await quality('?from=2026-11-09&to=2026-11-13')).toBe('partial')
    expect(await quality('?from=2026-11-10&to=2026-11-11')).toBe('empty')
    expect(await quality('?from=2026-11-20')).toBe('empty')
  })

  it('are the newest windows up to the limit, of a range of any length', async () => {
    const { data, meta } = await rest('?timeframe=1h&from=1970-01-01&to=2199-12-31&limit=3')
    expect(data.candles.map(({ ts, vwap_usd }) => [ts, vwap_usd])).toEqual(
      ['09', '10', '11'].map((hour) => [`2026-11-20T${hour}:00:00.000Z`, null]),
    )
    expect(meta).toMatchObject({ total: 36, has_next: true })
    expect((await rest('?from=2020-01-01&limit=300')).data.rows).toBe(300)
  })

  it('begin with the first candle of the asset: earlier windows are neither rows nor pages', async () => {
    const all = await rest('?from=2020-01-01')
    expect([all.data.rows, all.meta.total, all.meta.has_next]).toEqual([400, 400, false])
    expect(all.data.candles[0]).toMatchObject({ ts: '2025-10-16T00:00:00.000Z', consensus_status: 'ok' })
    const before = await rest('?from=2020-01-01&to=2021-01-01')
    expect([before.data.candles, before.meta.total, before.meta.has_next]).toEqual([[], 0, false])
    const links = async (query: string) => {
      const { headers } = await app.rest(`/v1/assets/bitcoin/ohlcv?${query}`, { key: pro })
      return [headers.get('x-total-count'), headers.get('link')?.includes('rel="next"') ?? false]
    }
    expect(await links('from=2020-01-01&limit=399')).toEqual(['400', true])
    expect(await links('from=2020-01-01&limit=400')).toEqual(['400', false])
    expect(await links('from=2020-01-01&to=2025-11-05&limit=30')).toEqual(['20', false])
    const { body } = await app.graphql<{ asset: { data: { prices: readonly { date: string }[] } } }>(
      '{ asset(id: "bitcoin") { data { prices(from: "2020-01-01", page: 2, limit: 300) { date } } } }',
      { key: pro },
    )
    const days = body.data?.asset.data.prices.map(({ date }) => date) ?? []
    expect([days.length, days[0], days.at(-1)]).toEqual([100, '2026-08-12', '2026-11-19'])
  })

  it('of assets with different first candles are those of each asset', async () => {
    const slugs = ['bitcoin', 'ethereum', 'solana']
    const edges = slugs.map(
      (slug, at) =>
        `a${at}: asset(id: "${slug}") { data { prices(from: "2025-01-01", limit: 1000) { date } } }`,
    )
    const { body } = await app.graphql<Readonly<Record<string, { data: { prices: readonly unknown[] } }>>>(
      `{ ${edges.join(' ')} }`,
      { key: pro },
    )
    expect(body.errors).toBeUndefined()
    expect(Object.values(body.data ?? {}).map(({ data }) => data.prices.length)).toEqual([400, 40, 40])
  })

  it('are those known at an instant', async () => {
    const priceAt = async (asOf: string) =>
      (await rest(`?from=2026-11-15&to=2026-11-16${asOf}`)).data.candles.map(({ vwap_usd }) => vwap_usd)
    const [old, revised] = [68_123.45, 70_000].map((price) => Number(day('2026-11-15', price).vwapUsd))
    expect(await priceAt('')).toEqual([revised])
    expect(await priceAt('&as_of=2026-11-20T08:00:00Z')).toEqual([revised])
    expect(await priceAt('&as_of=2026-11-20T07:59:59.999Z')).toEqual([old])
    expect(await priceAt('&as_of=2026-11-20T05:59:59.999Z')).toEqual([null])
  })

  it('refuse each wrong argument by name, before anything is charged', async () => {
    const fields = async (query: string) => {
      const { status, details } = await refusal(`bitcoin/ohlcv?${query}`, pro)
      return [status, ...(details ?? []).map(({ field }) => field)]
    }
    expect(await fields('timeframe=1w')).toEqual([422, 'timeframe'])
    expect(await fields('from=2026-11-02&to=2026-11-01&limit=0')).toEqual([422, 'from', 'limit'])
    expect(await fields('from=2026-11-21')).toEqual([422, 'from'])
    expect(await fields('limit=1001')).toEqual([422, 'limit'])
    expect(await fields('as_of=2026-11-20T12:00:00.001Z')).toEqual([422, 'as_of'])
    expect(await fields('from=1969-12-31T23:59:59Z&to=2200-01-01')).toEqual([422, 'to', 'from'])
    expect(await fields('from=0000-01-01T00:00:00Z&to=0000-02-01T00:00:00Z')).toEqual([422, 'to', 'from'])
    expect(await fields('from=yesterday')).toEqual([422, 'from'])
    expect(await refusal('BTC/ohlcv', pro)).toMatchObject({ status: 404, error: 'not_found' })
    expect(await refusal('no-such-asset/ohlcv', pro)).toMatchObject({ status: 404, error: 'not_found' })
  })

  it('of 1h need ohlcv:intraday, and candles older than 365 days need history:full', async () => {
    const [free, starter] = [await app.newKey({ tier: 'free' }), await app.newKey({ tier: 'starter' })]
    const growth = await app.newKey({ tier: 'growth' })
    expect(await refusal('bitcoin/ohlcv?timeframe=1h', free)).toMatchObject({
      status: 403,
      scope: 'ohlcv:intraday',
    })
    const tooOld = { status: 403, scope: 'history:full' }
    // Noon minus 365 days lies in the 20th, which is the first day that everybody may see.
    expect((await rest('?from=2025-11-20', free)).data.rows).toBe(365)
    expect(await refusal('bitcoin/ohlcv?from=2025-11-19T23:59:59Z', free)).toMatchObject(tooOld)
    // Not cut: the 500 newest would all be young enough.
    expect(await refusal('bitcoin/ohlcv?from=2025-11-19&limit=1', free)).toMatchObject(tooOld)
    expect(await refusal('bitcoin/ohlcv?timeframe=1h&from=2025-11-20T11:00:00Z', starter)).toMatchObject(
      tooOld,
    )
    // All hours since the first one, of a range of a year.
    expect((await rest('?timeframe=1h&from=2025-11-20T12:00:00Z', starter)).data.rows).toBe(36)
    expect((await rest('?from=2025-10-16', growth)).data.candles[0]).toMatchObject({
      ts: '2025-10-16T00:00:00.000Z',
      consensus_status: 'ok',
    })
    const nested = '{ asset(id: "bitcoin") { data { ticker ohlcv(from: "2025-11-19") { rows } } } }'
    const { body } = await app.graphql<{ asset: { data: { ohlcv: null } } }>(nested, { key: free })
    expect(body.data?.asset.data.ohlcv).toBeNull()
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', required_scope: 'history:full' })
  })

  it('of an asset without a venue give a 404 that says so, and null below its card', async () => {
    const reasons = {
      apple: 'consensus prices exist for crypto assets only',
      [untraded]: 'no exchange of the consensus trades it',
    }
    for (const [slug, reason] of Object.entries(reasons)) {
      expect(await refusal(`${slug}/ohlcv?from=2026-11-18`, pro)).toMatchObject({
        status: 404,
        message: `${slug} has no candles: ${reason}. Use GET /v1/assets/${slug} for its other data.`,
      })
      const nested = `{ asset(id: "${slug}") { data { ohlcv { rows } consensus_inputs { ts } } } }`
      const { body } = await app.graphql<object>(nested, { key: pro })
      expect(body).toMatchObject({ data: { asset: { data: { ohlcv: null, consensus_inputs: null } } } })
      expect(body.errors).toBeUndefined()
    }
  })

  it('have both timeframes as the enum of the parameter in OpenAPI', async () => {
    const { body } = await app.rest<{
      paths: Record<string, { get: { parameters: object[] } }>
      components: { schemas: Record<string, object> }
    }>('/openapi-full.json')
    for (const path of ['/v1/assets/{id}/ohlcv', '/v1/assets/{id}/consensus-inputs']) {
      expect(body.paths[path]?.get.parameters).toContainEqual(
        expect.objectContaining({
          name: 'timeframe',
          schema: { $ref: '#/components/schemas/Timeframe', default: '1d' },
        }),
      )
    }
    expect(body.components.schemas.Timeframe).toMatchObject({ type: 'string', enum: ['1h', '1d'] })
  })

  it('accept the timeframe in any case in REST, and by name or text in GraphQL', async () => {
    const of = async (query: string, variables?: Readonly<Record<string, unknown>>) => {
      const { body } = await app.graphql<{ ohlcv: { data: { timeframe: string } } }>(query, {
        key: pro,
        ...(variables ? { variables } : {}),
      })
      return body.data?.ohlcv.data.timeframe ?? body.errors?.[0]?.message
    }
    const rest = await app.rest<{ data: { timeframe: string } }>(
      '/v1/assets/bitcoin/ohlcv?timeframe=1H&limit=1',
      {
        key: pro,
      },
    )
    expect(rest.body.data.timeframe).toBe('1h')
    const ask = (argument: string) => `ohlcv(id: "bitcoin", limit: 1${argument}) { data { timeframe } }`
    expect(await of(`{ ${ask('')} }`)).toBe('1d')
    expect(await of(`{ ${ask(', timeframe: H1')} }`)).toBe('1h')
    expect(await of(`{ ${ask(', timeframe: "1h"')} }`)).toBe('1h')
    const named = `query ($t: Timeframe) { ${ask(', timeframe: $t')} }`
    const text = `query ($t: String = "1h") { ${ask(', timeframe: $t')} }`
    expect([await of(named, { t: 'H1' }), await of(named, { t: '1h' })]).toEqual(['1h', '1h'])
    expect([await of(text), await of(text, { t: '1d' })]).toEqual(['1h', '1d'])
    expect(await of(text, { t: '1w' })).toBe('timeframe: must be 1h or 1d; got "1w"')
    expect(await of(`query ($t: Int) { ${ask(', timeframe: $t')} }`)).toContain('expecting type "Timeframe"')
  })

  it('lead to the older windows of a range, and say that they exist', async () => {
    const range = 'timeframe=1d&from=2026-11-08&limit=5'
    const newest = await rest(`?${range}&to=2026-11-20`)
    expect(newest.meta).toMatchObject({ total: 12, has_next: true })
    const older = await rest(`?${range}&to=${newest.data.candles[0]?.ts}`)
    expect(older.meta).toMatchObject({ total: 7, has_next: true })
    const oldest = await rest(`?${range}&to=${older.data.candles[0]?.ts}`)
    expect(oldest.meta).toMatchObject({ total: 2, has_next: false })
    const pages = [oldest, older, newest].flatMap(({ data }) => data.candles.map(({ ts }) => ts))
    expect(pages).toEqual((await rest('?from=2026-11-08&to=2026-11-20')).data.candles.map(({ ts }) => ts))
  })

  it('carry the disclaimer, the method and when they were computed, below a card too', async () => {
    const analytical = {
      disclaimer: DISCLAIMER,
      disclaimer_lang_canonical: 'en',
      disclaimer_translations: { fr: DISCLAIMER_FR },
      data_methodology: `${CONSENSUS_METHOD.summary} http://127.0.0.1:4000/docs/guides/methodology#consensus-prices`,
      computed_at: REVISED.toISOString(),
      licensed_for_commercial_use: false,
    }
    const atRoot = await rest('?from=2026-11-08')
    expect(atRoot.meta).toMatchObject(analytical)
    const card = await app.rest<Enveloped<object>>('/v1/assets/bitcoin', { key: pro })
    expect(card.body.meta).toMatchObject({ ...analytical, data_quality: 'full' })
    const query = `{ asset(id: "bitcoin") { data {
      ohlcv(from: "2026-11-08") { asset { ticker } meta { ${META} } _meta { ${FRESHNESS} } } } } }`
    const { body } = await app.graphql<object>(query, { key: pro })
    const { meta, _meta } = atRoot
    expect(body.data).toEqual({ asset: { data: { ohlcv: { asset: { ticker: 'BTC' }, meta, _meta } } } })
  })

  it('make a list of cards partial if a price is missing, and empty without cards', async () => {
    const quality = async (query: string) =>
      (await app.rest<Enveloped<object>>(`/v1/assets?${query}`, { key: pro })).body.meta.data_quality
    expect(await quality('asset_class=crypto&limit=2')).toBe('full')
    expect(await quality('asset_class=crypto&limit=3')).toBe('partial') // the third has too few venues
    expect(await quality('asset_class=stock')).toBe('partial')
    expect(await quality('mic=XXXX')).toBe('empty')
  })

  it('are refused with the applicable reason', async () => {
    const reason = async (query: string, key = pro) => {
      const { details, message } = await refusal(`bitcoin/ohlcv?${query}`, key)
      return details?.[0] ?? message
    }
    expect(await reason('timeframe=1m')).toEqual({
      field: 'timeframe',
      message: 'must be one of 1h, 1d; got "1m"',
    })
    expect(await reason('to=9999-12-31')).toEqual({
      field: 'to',
      message: 'must be in the years 1970 to 2199; got 9999-12-31T00:00:00.000Z',
    })
    expect(await reason('from=2026-02-30')).toEqual({
      field: 'from',
      message:
        'must be a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z; got "2026-02-30"',
    })
    expect(await reason('from=2025-11-19', await app.newKey({ tier: 'free' }))).toBe(
      'Candles from before 2025-11-20T00:00:00.000Z need the scope history:full: it comes with tier growth and above; the account has tier free. Without it, request candles from 2025-11-20T00:00:00.000Z or later.',
    )
  })

  it('of 50 assets take as many statements as of one', async () => {
    interface Cards {
      readonly assets: { readonly data: readonly { readonly day: Ohlcv; readonly old: Ohlcv }[] }
    }
    const ask = async (limit: number) => {
      const nested = `day: ohlcv(from: "2026-11-11") { rows candles { vwap_usd } }
        old: ohlcv(from: "2026-11-11", to: "2026-11-14", as_of: "2026-11-20T05:00:00Z") { candles { vwap_usd } }`
      const query = `{ assets(limit: ${limit}, asset_class: crypto) { data { ticker ${nested} supply { value } } } }`
      const counts: number[] = []
      let answer: GraphQLAnswer<Cards> = {}
      for (let run = 0; run < 6; run++) {
        const before = app.database.statementCount()
        answer = (await app.graphql<Cards>(query, { key: pro })).body
        counts.push(app.database.statementCount() - before)
      }
      expect(answer.errors).toBeUndefined()
      // The fewest of several runs: what the process writes in the background is counted as well.
      return {
        cards: answer.data?.assets.data ?? [],
        cost: answer.extensions?.cost,
        statements: Math.min(...counts),
      }
    }
    const [one, fifty] = [await ask(1), await ask(50)]
    expect([one.cards.length, fifty.cards.length]).toEqual([1, 50])
    expect(fifty.cards.map(({ day }) => [day.rows, day.candles.at(-1)?.vwap_usd === null])).toEqual(
      fifty.cards.map((_, index) => [9, index === 2]),
    )
    expect(fifty.cards.flatMap(({ old }) => old.candles).every(({ vwap_usd }) => vwap_usd === null)).toBe(
      true,
    )
    // The page with its prices, and the two ranges.
    expect(one.statements).toBeGreaterThanOrEqual(3)
    expect(fifty.statements).toBe(one.statements)
    expect([one.cost?.charged, fifty.cost?.charged]).toEqual([3, 7])
  })

  it('give cards their price, market capitalisation and age', async () => {
    const { body } = await app.rest<Enveloped<object>>('/v1/assets/bitcoin', { key: pro })
    const expected = day('2026-11-19', 68_123.45)
    const product = decimal(expected.vwapUsd ?? '').times('19800000.5')
    expect(body.data).toEqual({
      asset_id: 1,
      ticker: 'BTC',
      name: 'Bitcoin',
      tier: 1,
      price_consensus_usd: Number(expected.vwapUsd),
      market_cap_derived_usd: Number(product.toSignificantDigits(15)),
      last_updated: '2026-11-20T00:00:00.000Z',
      price_source: 'consensus_vwap',
      source_count: 4,
      consensus_status: 'ok',
      methodology_version: 'vwap-consensus-1',
    })
    expect(body.meta).toMatchObject({
      price_type: 'consensus_vwap',
      methodology_version: 'vwap-consensus-1',
      freshness_ts: '2026-11-20T00:00:00.000Z',
    })
    // Tier 1 is due each hour, and half a day is more than three of them.
    expect(body._meta).toMatchObject({
      data_freshness_seconds: 43_200,
      last_updated_at: '2026-11-20T00:00:00.000Z',
      freshness_status: 'expired',
      sources: ['seed'],
    })
  })

  it('give a card no price from too few venues, and other classes none', async () => {
    const card = async (id: string) =>
      (await app.rest<Enveloped<Record<string, unknown>>>(`/v1/assets/${id}`, { key: pro })).body
    expect((await card('bnb')).data).toMatchObject({
      price_consensus_usd: null,
      market_cap_derived_usd: null,
      price_source: 'none',
      source_count: 2,
      consensus_status: 'insufficient_sources',
      methodology_version: 'vwap-consensus-1',
    })
    const apple = await card('apple')
    expect(apple.data).toMatchObject({
      price_consensus_usd: null,
      last_updated: SEEDED_AT.toISOString(),
      price_source: 'none',
      source_count: null,
      consensus_status: null,
      methodology_version: null,
    })
    expect(apple.meta.price_type).toBeNull()
  })

  it('name the supply behind the market capitalisation', async () => {
    const query = '{ assets(limit: 2) { data { supply { value source observed_at methodology } } } }'
    const { body } = await app.graphql<{ assets: { data: unknown } }>(query, { key: pro })
    expect(body.data?.assets.data).toEqual([
      {
        supply: {
          value: 19800000.5,
          source: 'seed',
          observed_at: KNOWN.toISOString(),
          methodology: 'Counted by hand.',
        },
      },
      { supply: null },
    ])
  })

  interface Inputs {
    readonly tier: AssetTier
    readonly vwap_usd_text: string
    readonly consensus_status: string
    readonly known_from: string
    readonly sources: readonly {
      readonly venue: string
      readonly vwap_usd: string | null
      readonly volume_usd: string | null
      readonly weight: string | null
      readonly exclusion: string | null
    }[]
  }
  const INPUTS = `{ asset_id ticker timeframe ts tier methodology_version vwap_usd_text consensus_status known_from
    sources { venue vwap_usd volume_usd weight exclusion deviation } }`
  const inputs = (args: string, key = pro) =>
    app.graphql<{ consensus_inputs: Inputs }>(`{ consensus_inputs(id: "bitcoin", ${args}) ${INPUTS} }`, {
      key,
    })

  it('can be computed again from their inputs, to the last digit', async () => {
    const { body } = await inputs('ts: "2026-11-19"')
    const found = body.data?.consensus_inputs
    if (!found) throw new Error(JSON.stringify(body.errors))
    expect(found).toMatchObject({
      asset_id: 'bitcoin',
      ticker: 'BTC',
      timeframe: '1d',
      known_from: KNOWN.toISOString(),
    })
    const published = found.sources.map((source): PublishedSource => {
      return { ...source, vwapUsd: source.vwap_usd, volumeUsd: source.volume_usd }
    })
    expect(recompute(published)?.toFixed()).toBe(found.vwap_usd_text)
    const figures = published.map(({ venue, vwapUsd, volumeUsd }): VenueInput => {
      return { venue, vwapUsd: decimal(vwapUsd ?? ''), volumeUsd: decimal(volumeUsd ?? '') }
    })
    const again = consensus(figures, found.tier)
    expect(again.vwapUsd && decimalText(again.vwapUsd)).toBe(found.vwap_usd_text)
    expect(again.sources.map(({ venue, exclusion }) => [venue, exclusion])).toEqual(
      found.sources.map(({ venue, exclusion }) => [venue, exclusion]),
    )
    expect(found.sources.find(({ venue }) => venue === 'kraken')?.exclusion).toBe('outlier')
  })

  it('show their inputs over REST and below a card, by default of the newest window', async () => {
    const { body } = await app.rest<object>('/v1/assets/bitcoin/consensus-inputs?timeframe=1d', { key: pro })
    const expected = {
      asset_id: 'bitcoin',
      ts: '2026-11-19T00:00:00.000Z',
      disclaimer: DISCLAIMER,
      disclaimer_fr: DISCLAIMER_FR,
      _meta: { sources: ['seed'] },
    }
    expect(body).toMatchObject({ ...expected, vwap_usd_text: day('2026-11-19', 68_123.45).vwapUsd })
    const query = (limit: number) =>
      `{ assets(asset_class: crypto, limit: ${limit}) { data { consensus_inputs { ts sources { venue } asset { ticker } } } } }`
    const statements = async (limit: number) => {
      const counts: number[] = []
      for (let run = 0; run < 4; run++) {
        const before = app.database.statementCount()
        const answer = await app.graphql<{ assets: { data: { consensus_inputs: object }[] } }>(query(limit), {
          key: pro,
        })
        counts.push(app.database.statementCount() - before)
        expect(answer.body.errors).toBeUndefined()
        const found = answer.body.data?.assets.data[0]?.consensus_inputs
        expect(found).toMatchObject({ ts: expected.ts, asset: { ticker: 'BTC' } })
      }
      return Math.min(...counts)
    }
    expect(await statements(50)).toBe(await statements(1))
  })

  it('show the inputs of a revision and of the revised candle, and none without a stored candle', async () => {
    const price = async (args: string) => (await inputs(args)).body.data?.consensus_inputs?.vwap_usd_text
    expect(await price('ts: "2026-11-15"')).toBe(day('2026-11-15', 70_000).vwapUsd)
    expect(await price('ts: "2026-11-15", as_of: "2026-11-20T07:00:00Z"')).toBe(
      day('2026-11-15', 68_123.45).vwapUsd,
    )
    const code = async (args: string, key = pro) =>
      (await inputs(args, key)).body.errors?.[0]?.extensions.code
    expect(await code('ts: "2026-11-10"')).toBe('NOT_FOUND')
    expect(await code('ts: "2026-11-15", as_of: "2026-11-20T05:00:00Z"')).toBe('NOT_FOUND')
    expect(await code('ts: "2026-11-15T01:00:00Z"')).toBe('VALIDATION_ERROR')
    const free = await app.newKey({ tier: 'free' })
    // Who may see the candle may see what it was made of.
    expect(await code('ts: "2026-11-15"', free)).toBeUndefined()
    expect(await code('ts: "2025-11-15"', free)).toBe('FORBIDDEN')
    expect(await code('timeframe: "1h", ts: "2026-11-19"', free)).toBe('FORBIDDEN')
  })
})
