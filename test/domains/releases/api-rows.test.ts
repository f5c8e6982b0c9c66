import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MACRO_PROVIDERS } from '../../../src/domains/macro/model.js'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import { RELEASE_TABLES } from '../../../src/domains/releases/tables/release-tables.js'
import { writeRelease } from '../../../src/domains/releases/write-release.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { fetchBodyWith } from '../../../src/ingest/run/ask-for-body.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { queryFiles } from '../../support/columnar-files.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

type Row = Readonly<Record<string, unknown>>

let app: TestApp
let key: string
let directory: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
  directory = await mkdtemp(join(tmpdir(), 'api-rows-'))
}, 120_000)
afterAll(async () => {
  await app?.close()
  await rm(directory, { recursive: true, force: true })
})

async function get(
  path: string,
): Promise<{ readonly data: readonly Row[]; readonly [name: string]: unknown }> {
  let answer = await app.rest<{ readonly data: readonly Row[] }>(path, { key })
  // A busy gateway asks its callers to try again.
  for (let tries = 0; answer.status === 503 && tries < 10; tries++) {
    await wait(1_000)
    answer = await app.rest(path, { key })
  }
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body
}

/** Every row of a list with `limit` and `offset`. */
async function getAll(path: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (;;) {
    const { data } = await get(`${path}${path.includes('?') ? '&' : '?'}limit=100&offset=${rows.length}`)
    rows.push(...data)
    if (data.length < 100) return rows
  }
}

async function getEach(
  paths: readonly string[],
  load: (path: string) => Promise<readonly Row[]>,
  added: (index: number) => Row = () => ({}),
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [index, path] of paths.entries())
    rows.push(...(await load(path)).map((row) => ({ ...row, ...added(index) })))
  return rows
}

/** Of the windows with a price: the route lists a window without trades too. */
async function getCandles(timeframe: string, from: string): Promise<readonly Row[]> {
  const path = `/v1/candles?asset_class=crypto&timeframe=${timeframe}&from=${from}&limit=50000`
  const rows: Row[] = []
  let cursor: unknown
  do {
    const page = await get(typeof cursor === 'string' ? `${path}&cursor=${cursor}` : path)
    rows.push(...page.data.map((row) => ({ ...row, timeframe, at: Date.parse(String(row.ts)) })))
    cursor = page.next_cursor
  } while (typeof cursor === 'string')
  return rows.filter((row) => row.vwap_usd !== null)
}

interface Comparison {
  readonly dataset: string
  /** Members of the API's rows that are compared. */
  readonly members: readonly string[]
  /** The current rows of the API. */
  readonly load: () => Promise<readonly Row[]>
  /** The same rows by DuckDB, from `release`: those rows of the files that nothing replaced. */
  readonly sql: string
}

const listings = () =>
  app.database.rows<{
    readonly id: number
    readonly asset: number
    readonly ticker: string
    readonly kind: string
  }>(
    `select distinct instrument_id as id, asset_id as asset, i.ticker, asset_class::text as kind
     from instrument as i join asset using (asset_id)
     where is_primary and asset_class in ('stock', 'etf') order by 1`,
  )

async function loadByStock(name: string): Promise<readonly Row[]> {
  const stocks = (await listings()).filter(({ kind }) => kind === 'stock')
  return getEach(
    stocks.map(({ ticker }) => `/v1/stocks/${ticker}/${name}`),
    getAll,
    (index) => ({ asset_id: stocks[index]?.asset }),
  )
}

async function loadPrices(): Promise<readonly Row[]> {
  const stored = await app.database.rows<{ readonly id: number }>(
    'select distinct instrument_id as id from daily_price',
  )
  const priced = new Set(stored.map(({ id }) => id))
  const known = (await listings()).filter(({ id }) => priced.has(id))
  return getEach(
    known.map(
      ({ ticker, kind }) =>
        `/v1/${kind === 'etf' ? 'etf' : 'stocks'}/${ticker}/prices?from=2000-01-01&limit=1000`,
    ),
    async (path) => (await get(path)).data,
    (index) => ({ instrument_id: known[index]?.id }),
  )
}

const seriesOf = (provider: string, where = 'true') =>
  app.database.rows<{ readonly dataset: string; readonly series_key: string }>(
    `select dataset, series_key from macro_series where provider = '${provider}' and ${where} order by 1, 2`,
  )

async function loadListedSeries(provider: string): Promise<readonly Row[]> {
  const { data } = await get(`/v1/macro/series?provider=${provider}&limit=1000`)
  return getEach(
    data.map(({ key }) => `/v1/macro/series/${provider}/${String(key)}?start_period=1900`),
    async (path) => {
      const rows: Row[] = []
      for (let page = 1; ; page++) {
        const next = await get(`${path}&limit=1000&page=${page}`)
        rows.push(...next.data)
        if (next.data.length < 1_000) return rows
      }
    },
    (index) => ({ key: data[index]?.key }),
  )
}

const LISTED_SERIES = `select dataset || '.' || series_key as key, period_start::varchar as period_start, value, unit
  from release where not is_withdrawn`

const COMPARISONS: readonly Comparison[] = [
  {
    dataset: 'forex',
    members: ['quote', 'date', 'rate'],
    load: async () => {
      const quotes = await app.database.rows<{ readonly quote: string }>(
        'select distinct quote from forex_rate',
      )
      return getEach(
        quotes.map(({ quote }) => `/v1/forex?quote=${quote}&from=1999-01-01`),
        async (path) => (await get(path)).data,
        (index) => ({ quote: quotes[index]?.quote }),
      )
    },
    sql: 'select quote, date::varchar as date, rate::double as rate from release',
  },
  {
    dataset: 'candles',
    members: ['asset_id', 'timeframe', 'at', 'vwap_usd', 'volume_usd', 'exchanges_count'],
    load: async () => [...(await getCandles('1d', '2024-11-20')), ...(await getCandles('1h', '2026-11-13'))],
    sql: `select asset_id, timeframe, epoch_ms(ts)::double as at, vwap_usd, volume_usd, exchanges_count
      from release where vwap_usd is not null`,
  },
  {
    dataset: 'prices',
    members: ['instrument_id', 'date', 'open', 'high', 'low', 'close', 'volume', 'currency'],
    load: loadPrices,
    sql: `select instrument_id, date::varchar as date, open::double as open, high::double as high, low::double as low,
      close::double as close, volume::double as volume, currency from release`,
  },
  {
    dataset: 'commodities',
    members: ['symbol', 'price_date', 'price_usd', 'source'],
    load: async () => {
      const { data } = await get('/v1/assets/index?asset_class=commodity')
      return getEach(
        data.map(({ ticker }) => `/v1/commodities/${String(ticker)}/prices?limit=1000`),
        async (path) => (await get(path)).data,
        (index) => ({ symbol: data[index]?.ticker }),
      )
    },
    sql: 'select symbol, month::varchar as price_date, price_usd, source from release',
  },
  {
    dataset: 'bis',
    members: ['dataset', 'series_key', 'period', 'unit', 'value'],
    load: async () => {
      const series = await seriesOf('bis', `frequency = 'quarterly'`)
      return getEach(
        series.map(({ dataset, series_key }) => `/v1/macro/bis/${dataset}/${series_key}`),
        async (path) => (await get(path)).data,
        (index) => ({ ...series[index] }),
      )
    },
    sql: `select dataset, series_key, year(period_start) || '-Q' || quarter(period_start) as period, unit, value from release
      where frequency = 'quarterly' and not is_withdrawn`,
  },
  ...MACRO_PROVIDERS.filter((provider) => provider !== 'bis').map((provider) => ({
    dataset: provider,
    members: ['key', 'period_start', 'value', 'unit'],
    load: () => loadListedSeries(provider),
    sql: LISTED_SERIES,
  })),
  {
    dataset: 'corporate_actions',
    members: ['asset_id', 'ex_date', 'action_type', 'ratio', 'description'],
    load: async () =>
      (await loadByStock('corporate-actions')).filter((row) => row.action_type !== 'ticker_change'),
    sql: `select asset_id, ex_date::varchar as ex_date, action_type, ratio, description from release where not is_withdrawn`,
  },
  {
    dataset: 'dividends',
    members: ['asset_id', 'ex_date', 'pay_date', 'amount', 'currency', 'frequency'],
    load: () => loadByStock('dividends'),
    sql: `select asset_id, ex_date::varchar as ex_date, pay_date::varchar as pay_date, amount, currency, frequency from release
      where not is_withdrawn and asset_id in (STOCKS)`,
  },
  {
    dataset: 'etf',
    members: [
      'asset_id',
      'as_of',
      'name',
      'isin',
      'weight',
      'shares',
      'market_value_usd',
      'asset_category',
      'country',
    ],
    load: async () => {
      const funds = (await listings()).filter(({ kind }) => kind === 'etf')
      return getEach(
        funds.map(({ ticker }) => `/v1/etf/${ticker}/holdings`),
        getAll,
        (index) => ({ asset_id: funds[index]?.asset }),
      )
    },
    sql: `select asset_id, as_of::varchar as as_of, name, isin, weight, shares, market_value_usd, asset_category, country
      from release as r where as_of = (select max(as_of) from release as other where other.asset_id = r.asset_id)`,
  },
  {
    dataset: 'asset_onchain',
    members: ['asset_id', 'snapshot_date', 'active_addresses', 'tx_count', 'fees_total_usd', 'avg_fee_usd'],
    load: () => getAll('/v1/star/fact/onchain-core'),
    sql: `select asset_id, snapshot_date::varchar as snapshot_date, active_addresses::double as active_addresses,
      tx_count::double as tx_count, fees_total_usd, avg_fee_usd from release`,
  },
  {
    dataset: 'asset_onchain',
    members: [
      'asset_id',
      'snapshot_date',
      'realized_cap_usd',
      'mvrv_ratio',
      'nupl',
      'sopr',
      'realized_price_usd',
      'methodology_version',
    ],
    load: () => getAll('/v1/star/fact/onchain-advanced'),
    sql: `select asset_id, snapshot_date::varchar as snapshot_date, realized_cap_usd, mvrv_ratio, nupl, sopr, realized_price_usd,
      methodology_version from release`,
  },
  {
    dataset: 'protocol_tvl',
    members: ['protocol_id', 'snapshot_date', 'tvl_usd', 'tvl_change_1d_pct', 'tvl_change_7d_pct'],
    load: () => getAll('/v1/star/fact/protocol-tvl'),
    sql: `select protocol_id, snapshot_date::varchar as snapshot_date, tvl_usd, tvl_change_1d_pct, tvl_change_7d_pct from release`,
  },
  {
    dataset: 'protocol_economics',
    members: [
      'protocol_id',
      'snapshot_date',
      'fees_24h_usd',
      'revenue_24h_usd',
      'fees_7d_usd',
      'revenue_30d_usd',
    ],
    load: () => getAll('/v1/star/fact/protocol-economics'),
    sql: `select protocol_id, snapshot_date::varchar as snapshot_date,
        max(total_24h_usd) filter (measure = 'fees') as fees_24h_usd,
        max(total_24h_usd) filter (measure = 'revenue') as revenue_24h_usd,
        max(total_7d_usd) filter (measure = 'fees') as fees_7d_usd,
        max(total_30d_usd) filter (measure = 'revenue') as revenue_30d_usd
      from release group by all`,
  },
  {
    dataset: 'asset_fundamentals',
    members: [
      'asset_id',
      'snapshot_date',
      'ps_ratio',
      'pr_ratio',
      'fees_30d_usd',
      'revenue_annualized',
      'methodology_version',
    ],
    load: () => getAll('/v1/star/fact/asset-fundamentals'),
    sql: `select asset_id, snapshot_date::varchar as snapshot_date, ps_ratio, pr_ratio, fees_30d_usd, revenue_annualized,
      methodology_version from release`,
  },
  {
    dataset: 'events',
    members: [
      'event_hk',
      'asset_id',
      'event_type_id',
      'event_date',
      'event_title',
      'event_description',
      'event_url',
      'source',
    ],
    load: () => getAll('/v1/star/fact/events'),
    sql: `select event_hk, asset_id, event_type as event_type_id, event_date::varchar as event_date, title as event_title,
      description as event_description, url as event_url, reported_by as source from release where not is_withdrawn`,
  },
  {
    dataset: 'analysis',
    members: ['snapshot_id', 'content_hash', 'model_id', 'prompt_hash'],
    load: async () => {
      const rows: Row[] = []
      for (const asset of ['bitcoin', 'apple', 'aave'])
        for (const type of ['halal_analysis', 'market_context', 'regime']) {
          const path = `/v1/assets/${asset}/ai-analysis/history?analysis_type=${type}&limit=50`
          const { items } = (await get(path)) as unknown as { readonly items: readonly Row[] }
          rows.push(
            ...items.map((item) => ({
              ...item,
              ...(item.provenance as Row),
              content_hash: (item.immutability as Row).content_hash,
            })),
          )
        }
      return rows
    },
    sql: `select snapshot_id, content_hash, model_id, prompt_hash from release where asset_id in (ANALYSED)`,
  },
  {
    dataset: 'asset_versions',
    members: ['asset_id', 'ticker', 'name', 'tier', 'contract_address'],
    load: () => getAll('/v1/star/dim/assets'),
    sql: 'select asset_id, ticker, name, tier, contract_address from release',
  },
]

/** Released rows that no route lists; the test of releases compares them with the stored ones. */
const NOT_LISTED = {
  filings: 'routes state figures that are derived from them',
  supply: 'routes state the newest one of an asset',
  identifiers: 'routes state timelines that are derived from them',
  listed_symbols: 'routes state timelines that are derived from them',
  figi_symbols: 'routes state timelines that are derived from them',
  sanctions_subjects: 'a route screens given identifiers',
  sanctions_listings: 'a route screens given identifiers',
  legal_entities: 'a route screens given identifiers',
}

async function releasedRows(dataset: string, sql: string): Promise<readonly Row[]> {
  const table = RELEASE_TABLES.find((known) => known.dataset === dataset) ?? expect.fail(dataset)
  const releases = createDirectoryReleases(directory)
  const signal = new AbortController().signal
  const { place } = await writeRelease({ database: app.database, releases, signer: null, signal }, table)
  const known = await app.database.rows<{ readonly stocks: string; readonly analysed: string }>(
    `select string_agg(asset_id::text, ',') filter (where asset_class = 'stock') as stocks,
       string_agg(asset_id::text, ',') filter (where slug in ('bitcoin', 'apple', 'aave')) as analysed from asset`,
  )
  const filled = sql.replace('STOCKS', known[0]?.stocks ?? '').replace('ANALYSED', known[0]?.analysed ?? '')
  return queryFiles(place, `with release as (from '*.parquet' where known_to is null) ${filled}`)
}

function textsOf(rows: readonly Row[], members: readonly string[]): readonly string[] {
  return rows.map((row) => JSON.stringify(members.map((name) => row[name]))).toSorted()
}

describe('rows of a release', () => {
  it.each(COMPARISONS)(
    'of $dataset, read by DuckDB, are those of the API: $members',
    async (comparison) => {
      const { dataset, members, load, sql } = comparison
      const expected = textsOf(await load(), members)
      expect(expected.length).toBeGreaterThan(10)
      expect(textsOf(await releasedRows(dataset, sql), members)).toEqual(expected)
    },
    60_000,
  )

  it('are compared for every dataset, or no route lists them', () => {
    const compared = new Set(COMPARISONS.map(({ dataset }) => dataset))
    expect([...compared, ...Object.keys(NOT_LISTED)].toSorted()).toEqual(
      RELEASE_TABLES.map(({ dataset }) => dataset).toSorted(),
    )
  })

  // After the seed, whose rates the recorded ones replace.
  const recorded = samplePath('ecb/eurofxref-hist.csv')
  it.skipIf(recorded === null)(
    'of the recorded history of the European Central Bank are those of the API (skipped without its file)',
    async () => {
      const log = createLogger('silent')
      const fetchBody = fetchBodyWith(createHttpClient({ log, userAgent: 'test' }))
      const deps = { database: app.database, clock: app.clock, fetchBody, log }
      app.clock.advance(1_000)
      await runFeed(deps, findFeed('ecb-history'), { kind: 'file', path: recorded ?? '' })
      app.clock.advance(1_000)
      const forex = COMPARISONS.find(({ dataset }) => dataset === 'forex') ?? expect.fail()
      const expected = textsOf(await forex.load(), forex.members)
      expect(expected.length).toBeGreaterThan(200_000)
      expect(textsOf(await releasedRows('forex', forex.sql), forex.members)).toEqual(expected)
    },
    300_000,
  )
})
