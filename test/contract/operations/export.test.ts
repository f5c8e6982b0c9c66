import { get } from 'node:http'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDays, toIsoDate } from '../../../src/core/time.js'
import { restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { restSchema } from '../../../src/schema.js'
import type { RestRoute } from '../../../src/schema-kit/endpoint.js'
import { exampleReleases } from '../../domains/releases/example-release.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { callRest, exampleArguments } from '../../support/app/endpoint-calls.js'
import { readArrow, readParquet } from '../../support/columnar-files.js'
import { quickestDatabase } from '../../support/database/database.js'
import { ID_PUBLISHERS } from '../../support/id-publishers.js'

const CSV = 'text/csv'
const NDJSON = 'application/x-ndjson'

type Row = Readonly<Record<string, unknown>>

interface Forex {
  readonly source: string
  readonly rows: number
  readonly data: readonly { readonly date: string; readonly rate: number }[]
  readonly _meta: { readonly last_updated_at: string; readonly freshness_status: string }
}

/** Of the webhook, the key and the SQL credential that the account's own lists show. */
const OWN_ID = '6b1f0c5e-0d57-4d0f-9a52-6a3e8f1c2b7d'

/** Arguments that no hint of the schema has, or that bring rows where a default would bring none. */
const ARGUMENTS: Readonly<Record<string, Row>> = {
  forex: { quote: 'USD', from: '2026-01-01', to: '2026-11-20' },
  corporate_actions: { ticker: 'META' },
  webhook_events: { webhook_id: OWN_ID },
}

/** What no provider is the source of: the account's own, the text on how analyses are made, and published rules. */
const WITHOUT_SOURCE = [
  'ai_methodology',
  'api_keys',
  'calendars',
  'incidents',
  'releases',
  'sql_credentials',
  'usage',
  'webhook_events',
  'webhooks',
]

const COLUMNAR = [
  ['application/vnd.apache.parquet', readParquet],
  ['application/vnd.apache.arrow.stream', readArrow],
] as const

function mapCells(row: Row, change: (cell: unknown, column: string) => unknown): Row {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, change(cell, name)]))
}

function withoutUse(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'last_used_at'))
}

/** A cell of JSON as a column of that type has it: objects as their JSON, decimals as texts. */
function cellIn(type: string | undefined, cell: unknown): unknown {
  if (cell === null || typeof cell === 'boolean') return cell
  if (type?.toUpperCase().startsWith('DECIMAL')) return String(cell)
  return typeof cell === 'object' && (type === 'VARCHAR' || type === 'Utf8') ? JSON.stringify(cell) : cell
}

/** What headers of an export say, as the metadata of a file. */
function metadataOf(headers: Headers): Row {
  const names = {
    'x-data-source': 'source',
    'x-is-dev-dataset': 'is_dev_dataset',
    'x-data-freshness': 'freshness_status',
    'x-last-updated': 'last_updated_at',
  }
  return Object.fromEntries(
    Object.entries(names).flatMap(([header, name]) => {
      const text = headers.get(header)
      return text === null ? [] : [[name, decodeURIComponent(text)]]
    }),
  )
}

/** Null is nothing; objects are their JSON. */
function cellOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const SERIES = restEndpoints(restSchema).flatMap((endpoint) =>
  endpoint.rest.table ? [[endpoint.field.name, endpoint, endpoint.rest.table.rows] as const] : [],
)

/** A long history before that of the seed: that many days of one currency. */
const LONG = { days: 7_000, from: new Date('1999-01-04T00:00:00Z') }

describe.each([quickestDatabase()])('exports on %s', (kind) => {
  let releases: Awaited<ReturnType<typeof exampleReleases>>
  let app: TestApp
  let key: string
  const longFrom = toIsoDate(LONG.from)
  const longTo = addDays(longFrom, LONG.days - 1)
  const longPath = `/v1/forex?quote=USD&from=${longFrom}&to=${longTo}`
  beforeAll(async () => {
    releases = await exampleReleases()
    app = await startTestApp(kind, { env: releases.env })
    key = await app.newKey({ tier: 'pro' })
    await app.database.rows(
      `insert into forex_rate (quote, date, rate, known_from, source)
       select 'USD', $1::date + day, 1 + (day % 977) / 10000.0, now(), 'seed' from generate_series(0, $2::int - 1) as day`,
      [longFrom, LONG.days],
    )
    await fillAccount()
  })
  afterAll(async () => {
    await app?.close()
    await releases?.remove()
  })

  /** Rows of the account's own lists, and an incident. */
  async function fillAccount(): Promise<void> {
    const { prisma } = app.database
    const { accountId } = await prisma.account.findFirstOrThrow()
    const now = app.clock.now()
    await prisma.ingestRun.create({
      data: {
        ...{
          runId: OWN_ID,
          feed: 'ecb-daily',
          provider: 'ecb',
          dataset: 'forex',
          origin: 'https://ecb.test/',
        },
        ...{ startedAt: now, finishedAt: now, status: 'failed', cause: 'provider' },
      },
    })
    await prisma.usageDay.create({
      data: { accountId, keyId: OWN_ID, day: now, operation: 'forex', units: 2n, requests: 2n },
    })
    const credential = { credentialId: OWN_ID, accountId, roleName: 'sql_0123abcd', label: 'reports' }
    await prisma.sqlCredential.create({
      data: { ...credential, createdAt: now, expiresAt: new Date(now.getTime() + 1) },
    })
    await app.rest('/v1/webhooks', { key, method: 'POST', body: { url: 'https://hooks.example.com/' } })
    await prisma.webhook.updateMany({ data: { webhookId: OWN_ID } })
    const changes = await prisma.analysisChange.findMany({ take: 2 })
    for (const { diffId, computedAt, assetId } of changes) {
      const event = { webhookId: OWN_ID, diffId, computedAt, assetId, nextAttemptAt: now }
      await prisma.webhookDelivery.create({ data: { ...event, state: 'delivered', settledAt: now } })
    }
  }

  /** Asks without reading the body as JSON: a file is recognised by its text. */
  const asText: TestApp['rest'] = async (path, { method = 'GET', headers = {}, key: caller } = {}) => {
    const response = await fetch(app.url + path, {
      method,
      headers: { ...headers, 'x-api-key': caller ?? '' },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isBinary = response.headers.get('content-type')?.includes('apache')
    const text = bytes.toString(isBinary ? 'latin1' : 'utf8')
    return { status: response.status, headers: response.headers, text, body: null as never } // nobody looks at it
  }
  const as = (accept: string): CallOptions => ({ key, headers: { accept } })

  it('exist for every list and series', () => {
    const macro = ID_PUBLISHERS.flatMap(({ id }) => [`${id}_catalogue`, `${id}_series`])
    const others = [
      'ai_analysis_changes',
      'ai_analysis_history',
      'ai_methodology',
      'api_keys',
      'asset_index',
      'asset_search',
      'assets',
      'bis_countries',
      'bis_datasets',
      'bis_series',
      'calendar',
      'calendars',
      'candles',
      'commodities',
      'commodity_prices',
      'consensus_inputs',
      'corporate_action_changes',
      'corporate_actions',
      'datasets',
      'dividends',
      'etf_holdings',
      'etf_prices',
      'etf_reports',
      'etfs',
      'exchange_candles',
      'forex',
      'forex_cross',
      'forex_currencies',
      'held_by',
      'incidents',
      'macro_catalogue',
      'macro_series',
      'ohlcv',
      'releases',
      'sql_credentials',
      'star_dim_analysis_types',
      'star_dim_assets',
      'star_dim_chains',
      'star_dim_dates',
      'star_dim_event_types',
      'star_dim_news_sources',
      'star_dim_tiers',
      'star_fact_ai_analysis',
      'star_fact_asset_fundamentals',
      'star_fact_events',
      'star_fact_market_snapshots',
      'star_fact_news_mentions',
      'star_fact_onchain_advanced',
      'star_fact_onchain_core',
      'star_fact_protocol_economics',
      'star_fact_protocol_tvl',
      'star_fact_vwap_consensus',
      'stock_prices',
      'stocks',
      'symbol',
      'usage',
      'webhook_events',
      'webhooks',
    ]
    expect(SERIES.map(([name]) => name).sort()).toEqual([...macro, ...others].sort())
  })

  it('state the number of rows and lead to the next page if a page is cut', async () => {
    const cut = async (path: string) => {
      const { headers, text } = await asText(path, { key })
      const lines = text.trimEnd().split('\n').length
      const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      return { lines, total: Number(headers.get('x-total-count')), next }
    }
    const assets = await cut('/v1/assets.ndjson?limit=3&tier=1')
    expect(assets).toMatchObject({ lines: 3, next: '/v1/assets.ndjson?tier=1&limit=3&offset=3' })
    expect(assets.total).toBeGreaterThan(3)
    const from = '/v1/assets/bitcoin/ohlcv.ndjson?from=2026-11-08&to=2026-11-20&limit=5'
    const candles = await cut(from)
    expect(candles).toEqual({
      lines: 5,
      total: 12,
      next: '/v1/assets/bitcoin/ohlcv.ndjson?limit=5&from=2026-11-08T00%3A00%3A00.000Z&to=2026-11-15T00%3A00%3A00.000Z',
    })
    const json = await cut(from.replace('.ndjson', ''))
    expect([json.total, json.next]).toEqual([12, candles.next?.replace('.ndjson', '')])
    const older = await cut(candles.next ?? '')
    expect([older.lines, older.total, (await cut(older.next ?? '')).next]).toEqual([5, 7, undefined])
    const history = await cut('/v1/assets/bitcoin/ai-analysis/history.ndjson?limit=1')
    expect(history.lines).toBe(1)
    expect(history.total).toBeGreaterThan(1)
    const changes = await cut('/v1/ai-analysis/changes.ndjson?limit=1')
    expect(changes.total).toBeGreaterThan(1)
    expect(changes.next).toMatch(/^\/v1\/ai-analysis\/changes\.ndjson\?limit=1&cursor=[\w-]+$/)
    expect((await cut(changes.next ?? '')).lines).toBe(1)
    const events = await cut(`/v1/webhooks/${OWN_ID}/events.ndjson?limit=1`)
    expect([events.lines, events.total]).toEqual([1, 2])
    const last = await cut(events.next ?? '')
    expect(last).toEqual({ lines: 1, total: 2, next: undefined })
  })

  it('without meta state in a header that the data are synthetic, also from the cache', async () => {
    const path = '/v1/forex?quote=SEK'
    for (const hit of ['first', 'second']) {
      const { headers } = await app.rest(path, { key })
      expect([hit, headers.get('x-is-dev-dataset'), headers.get('x-total-count')]).toEqual([
        hit,
        'true',
        expect.stringMatching(/^\d+$/),
      ])
    }
    expect((await app.rest('/v1/assets', { key })).headers.has('x-is-dev-dataset')).toBe(false)
  })

  it('of candles have a column for every field, including empty ones', async () => {
    const { headers, text } = await asText('/v1/assets/bitcoin/ohlcv?timeframe=1d&limit=2', as(CSV))
    const [header, first] = text.split('\r\n')
    expect(header).toBe(
      'ts,open,high,low,close,vwap_usd,volume_usd,exchanges_count,max_source_weight_pct,consensus_status',
    )
    expect(first).toMatch(/^2026-11-\d\dT00:00:00\.000Z,,,,,\d+(\.\d+)?,/)
    expect(headers.get('content-disposition')).toBe('attachment; filename="ohlcv-bitcoin-1d.csv"')
  })

  describe.each(SERIES)('of %s', (name, endpoint, rows) => {
    const ask = (accept: string) => {
      const root = { ...endpoint, name, operation: 'query' } as const
      const rest: RestRoute = endpoint.rest
      return callRest(
        { ...app, rest: asText },
        root,
        rest,
        exampleArguments(root, ARGUMENTS[name] ?? {}),
        as(accept),
      )
    }
    const jsonRows = async () => {
      const { text } = await ask('application/json')
      const body: unknown = JSON.parse(text)
      return rows.split('.').reduce((value, member) => (value as Row)[member], body) as readonly Row[]
    }

    it('have the figures of the JSON answer row by row, nulls as empty cells, in CSV', async () => {
      const expected = await jsonRows()
      const { status, text } = await ask(CSV)
      expect(status).toBe(200)
      expect(expected.length).toBeGreaterThan(0)
      const [header = [], ...lines] = parse(text, { record_delimiter: '\r\n' })
      expect(lines).toHaveLength(expected.length)
      lines.forEach((line, index) => {
        const row = expected[index] ?? {}
        expect(header).toEqual(Object.keys(row))
        expect(line).toEqual(Object.values(row).map(cellOf))
      })
    })

    it('have the rows of the JSON answer, byte for byte, in NDJSON', async () => {
      const expected = await jsonRows()
      const { text } = await ask(NDJSON)
      expect(text).toBe(expected.map((row) => `${JSON.stringify(row)}\n`).join(''))
    })

    it.each(COLUMNAR)('have the cells of the JSON answer in %s', async (type, read) => {
      // Each request changes when the key was used last.
      const expected = (await jsonRows()).map((row) => withoutUse(row))
      const { status, headers, text } = await ask(type)
      expect([status, headers.get('content-type')]).toEqual([200, type])
      const file = await read(Buffer.from(text, 'latin1'))
      expect(Object.keys(file.types).filter((column) => column !== 'last_used_at')).toEqual(
        Object.keys(expected[0] ?? {}),
      )
      const cells = expected.map((row) => mapCells(row, (cell, column) => cellIn(file.types[column], cell)))
      expect(file.rows.map(withoutUse)).toEqual(cells)
      expect(file.metadata).toMatchObject({ operation: name, ...metadataOf(headers) })
      const reads = endpoint.endpoint.reads ?? []
      expect(file.metadata.data_version ?? '').toBe(reads.length === 0 ? '' : headers.get('x-data-version'))
    })

    it('name the source of the rows', async () => {
      const { headers } = await ask(CSV)
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/)
      // Each row tells it of its own dataset.
      if (endpoint.field.name === 'datasets') {
        expect((await jsonRows()).slice(0, 1)).toMatchObject([{ sources: ['seed'], is_dev_dataset: true }])
        return
      }
      // Rules have no age. Each row of the list names the source of its rules.
      if (endpoint.field.name === 'calendar') {
        expect(headers.get('x-data-source')).toMatch(/^NYSE rules 7\.1 and 7\.2/)
        expect(headers.has('x-data-freshness')).toBe(false)
        return
      }
      if (WITHOUT_SOURCE.includes(endpoint.field.name)) {
        expect([headers.has('x-data-source'), headers.has('x-data-freshness')]).toEqual([false, false])
        return
      }
      // What no dataset holds is fixed or computed by the gateway itself.
      const isFixed = endpoint.endpoint.reads?.length === 0
      expect(headers.get('x-data-source')).toBe(isFixed ? 'gateway' : 'seed')
      expect(headers.get('x-is-dev-dataset')).toBe(String(!isFixed))
      expect(headers.get('x-data-freshness')).toMatch(/^(fresh|stale|expired)$/)
      expect(headers.get('x-last-updated')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    })
  })

  it('state the freshness of the JSON answer', async () => {
    const { body } = await app.rest<Forex>('/v1/forex?quote=USD', { key })
    const { headers } = await app.rest('/v1/forex?quote=USD', as(CSV))
    expect(headers.get('x-data-freshness')).toBe(body._meta.freshness_status)
    expect(headers.get('x-last-updated')).toBe(body._meta.last_updated_at)
    expect(headers.get('content-disposition')).toBe('attachment; filename="forex-USD.csv"')
    expect(headers.get('vary')).toMatch(/accept/i)
  })

  it('expose their headers to browsers', async () => {
    const { headers } = await app.rest('/v1/forex?quote=USD', {
      key,
      headers: { accept: CSV, origin: 'https://a.example' },
    })
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
    const names = [
      'content-disposition',
      'x-data-source',
      'x-is-dev-dataset',
      'x-data-freshness',
      'x-last-updated',
    ]
    expect(exposed).toEqual(expect.arrayContaining(names))
    for (const name of names) expect(headers.has(name), name).toBe(true)
  })

  it('cost what JSON costs: one unit', async () => {
    const metered = await app.newKey({ tier: 'starter' })
    const left = async (accept: string, method = 'GET') => {
      const { headers } = await asText('/v1/forex?quote=USD', { key: metered, method, headers: { accept } })
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const first = await left('application/json')
    expect([await left(CSV), await left(NDJSON), await left(CSV, 'HEAD')]).toEqual([
      first - 1,
      first - 2,
      first - 3,
    ])
    const dry = await app.rest<{ cost: object }>('/v1/forex?quote=USD', {
      key: metered,
      headers: { accept: CSV, 'x-dry-run': 'cost' },
    })
    expect(dry.body.cost).toMatchObject({ charged: 0, price: 1 })
  })

  it('report failures as JSON, and 406 for an operation without a series', async () => {
    const statuses = async (path: string, options: CallOptions) => {
      const { status, body } = await app.rest<{ error: string }>(path, options)
      return [status, body.error]
    }
    expect(await statuses('/v1/forex?quote=USD', { headers: { accept: CSV } })).toEqual([401, 'unauthorized'])
    expect(await statuses('/v1/forex?quote=XXX', as(CSV))).toEqual([422, 'validation_error'])
    expect(await statuses('/v1/discover/BTC', as(CSV))).toEqual([406, 'not_acceptable'])
    expect(await statuses('/v1/assets/bitcoin', as(NDJSON))).toEqual([406, 'not_acceptable'])
  })

  it(`stream ${LONG.days} rows in several chunks, with the figures of the JSON answer`, async () => {
    const { body } = await app.rest<Forex>(longPath, { key })
    const response = await fetch(app.url + longPath, { headers: { 'x-api-key': key, accept: CSV } })
    expect(response.headers.has('content-length')).toBe(false)
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body ?? []) chunks.push(chunk)
    expect(chunks.length).toBeGreaterThan(1)
    const lines = Buffer.concat(chunks).toString().split('\r\n')
    expect(body.rows).toBe(LONG.days)
    expect(lines).toEqual(['date,rate', ...body.data.map(({ date, rate }) => `${date},${rate}`), ''])
  })

  it('leave the process healthy if clients disconnect mid-stream', async () => {
    const abandon = () =>
      new Promise<void>((resolve, reject) => {
        const request = get(
          app.url + longPath,
          { headers: { 'x-api-key': key, accept: NDJSON } },
          (answer) => {
            answer.on('error', () => {}) // the cut is ours
            answer.once('data', () => request.destroy())
            answer.once('close', resolve)
          },
        )
        request.once('error', reject)
      })
    await Promise.all(Array.from({ length: 10 }, abandon))
    const { status, text } = await asText(longPath, as(NDJSON))
    expect([status, text.trimEnd().split('\n').length]).toEqual([200, LONG.days])
    expect(app.logLines.filter((line) => JSON.parse(line).level >= 40)).toEqual([])
  })
})
