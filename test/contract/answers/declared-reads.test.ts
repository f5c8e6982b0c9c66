import { type GraphQLField, isObjectType } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DatasetName } from '../../../src/core/datasets.js'
import { DATASETS } from '../../../src/domains/datasets/registry-model.js'
import { MACRO_PROVIDERS } from '../../../src/domains/macro/model.js'
import { STAR_TABLES } from '../../../src/domains/star/tables.js'
import type { Database } from '../../../src/platform/database/database.js'
import { graphSchema, restSchema } from '../../../src/schema.js'
import type { Reads } from '../../../src/schema-kit/endpoint.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import {
  type Arguments,
  argumentsWithoutExample,
  callGraphql,
  callRest,
  edges,
  exampleArguments,
  type RootField,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { fullSelection } from '../../support/app/selections.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { ID_PUBLISHERS } from '../../support/id-publishers.js'

/** Where each table's rows belong; null: to the gateway itself, whose answers are never kept. */
const DATASET_OF: Readonly<Record<string, DatasetName | null>> = {
  asset: 'instruments',
  instrument: 'instruments',
  asset_contract: 'instruments',
  asset_version: 'instruments',
  iso_currency: 'codes',
  iso_market: 'codes',
  forex_rate: 'forex',
  candle: 'candles',
  asset_supply: 'supply',
  ...Object.fromEntries(MACRO_PROVIDERS.map((provider) => [`macro of ${provider}`, provider])),
  sanctions_subject: 'screening',
  sanctions_listing: 'screening',
  legal_entity: 'screening',
  corporate_action: 'corporate_actions',
  dividend: 'dividends',
  corporate_action_change: 'corporate_actions',
  instrument_identifier: 'instruments',
  listed_symbol: 'instruments',
  fund_class: 'instruments',
  figi_symbol: 'instruments',
  filed_fact: 'filings',
  company_period: 'filings',
  daily_price: 'prices',
  commodity_price: 'commodities',
  asset_onchain: 'asset_onchain',
  protocol: 'protocols',
  protocol_tvl: 'protocols',
  protocol_economics: 'protocols',
  asset_fundamentals: 'protocols',
  news_source: 'news',
  news_article: 'news',
  news_mention: 'news',
  asset_event: 'events',
  asset_event_asset: 'events',
  etf_report: 'etf',
  etf_holding: 'etf',
  analysis_snapshot: 'analysis',
  analysis_change: 'analysis',
  minute_bar: null,
  venue_symbol: null,
  exchange_listing: null,
  excluded_listing: null,
  candle_backfill: null,
  mapping_question: null,
  // Written beside requests, so that no version of the dataset says what is there.
  address_snapshot: null,
  account: null,
  api_key: null,
  audit_event: null,
  newsletter_subscription: null,
  newsletter_issue: null,
  newsletter_delivery: null,
  sql_credential: null,
  sql_session_end: null,
  installation: null,
  installation_secret: null,
  snapshot_signing_key: null,
  usage_hour: null,
  webhook: null,
  webhook_delivery: null,
  webhook_node: null,
  webhook_shard: null,
  usage_day: null,
  rate_counter: null,
  dataset_extent: null,
  ingest_run: null,
  job_run: null,
  newsletter_node: null,
  newsletter_shard: null,
  schedule_node: null,
  schedule_shard: null,
  lane_node: null,
  lane_shard: null,
  venue_rate: null,
  venue_coverage: null,
  dataset_state: null,
  data_grain: null,
  _prisma_migrations: null,
}

/** Rows of several datasets, by the provider that the parameters of a statement name; its ids come from such a statement. */
const OF_PROVIDERS: readonly string[] = ['macro_series', 'macro_observation']

/** Written by the tables of a fact, which the parameters of a statement name. */
const TOTALS: readonly string[] = ['star_total', 'star_hour_total']

/** The dataset whose rows are counted. */
function countedIn(parameters: readonly unknown[]): readonly string[] {
  return STAR_TABLES.flatMap(({ view, reads: [first] }) =>
    parameters.includes(view) && first !== undefined ? [`rows of ${first}`] : [],
  )
}
function providersIn(parameters: readonly unknown[]): readonly string[] {
  const named = new Set(parameters.flat())
  return MACRO_PROVIDERS.filter((provider) => named.has(provider)).map((provider) => `macro of ${provider}`)
}

/** Statements of every request, of any caller: who it is, what is charged, the states of the datasets. */
const OF_EVERY_REQUEST = [
  /\bfrom api_key\b/,
  /^update api_key k set last_used_at/,
  /\brate_counter\b/,
  /^insert into usage_day\b/,
  /^insert into usage_hour\b/,
  /\bupdate usage_day\b/,
  /\bfrom dataset_state$/,
] as const

/** Show the states of all datasets, which are read for every request, with the records of runs, and are valid for a minute. */
const OF_ALL_STATES = ['datasets', 'incidents']

const NEWEST = 'the newest state of a card; its history as of an instant is an endpoint or edge of its own'
const CATALOGUE = 'says which series there are, not their values'
const CURRENT = 'the star schema has the current rows, as its SQL views do'
const SNAPSHOTS = 'analyses are appended and never changed; the history of an asset takes as_of'

/** Fields that read bi-temporal rows without `as_of`, each with the reason. */
const WITHOUT_AS_OF: Readonly<Record<string, string>> = {
  _entities: NEWEST,
  ai_analysis_changes: SNAPSHOTS,
  ai_analysis_diff: SNAPSHOTS,
  ai_analysis_latest: SNAPSHOTS,
  ai_analysis_snapshot: SNAPSHOTS,
  asset: NEWEST,
  asset_ai: SNAPSHOTS,
  asset_index: 'lists assets by their present names',
  asset_search: 'finds assets by their present names',
  assets: NEWEST,
  bis_countries: CATALOGUE,
  bis_datasets: CATALOGUE,
  ...Object.fromEntries(ID_PUBLISHERS.map(({ id }) => [`${id}_catalogue`, CATALOGUE])),
  check_sanctions: 'takes a past day, `on`',
  corporate_action_changes: 'lists each change with the terms before and after it',
  datasets: 'says how new each dataset is now',
  etf_ai_analysis: SNAPSHOTS,
  incidents: 'says which runs failed',
  held_by: 'has known_at beside report_date, which as_of meant before',
  macro_catalogue: CATALOGUE,
  newsletter_preview: 'shows the issue that is made now',
  stock: NEWEST,
  stock_ai_analysis: SNAPSHOTS,
  stocks: NEWEST,
}

/** Arguments beside the examples that make an endpoint read more. */
const VARIANTS: Readonly<Record<string, readonly Arguments[]>> = {
  check_sanctions: [{ imos: ['0000012'] }, { imos: ['0000012'], on: '2026-11-20' }],
  etf_prices: [{ adjust: 'all' }],
  stock_prices: [{ adjust: 'all' }],
  assets: [{}, { mic: 'XNAS' }, { asset_class: 'crypto' }, { asset_class: 'stock' }, { asset_class: 'etf' }],
  ohlcv: [{}, { as_of: '2026-11-01T00:00:00Z' }, { timeframe: '1h' }],
  forex: [{}, { inverse: true }],
  forex_currencies: [{ as_of: '2026-11-01T00:00:00Z' }],
  ai_analysis_history: [{}, { as_of: '2026-11-01T00:00:00Z' }],
  ai_analysis_changes: [{}, { analysis_type: 'regime' }],
}

const QUERIES = rootFields().filter(({ operation }) => operation === 'query')

/**
 * Datasets whose runs write rows of another dataset, by the field that reads those rows: actions change tickers, and changes
 * of dividends are listed with those of actions.
 */
const WRITTEN_WITH: Readonly<Record<string, readonly DatasetName[]>> = {
  corporate_action_changes: ['dividends'],
  symbol: ['corporate_actions'],
}

const named = (names: Iterable<DatasetName>): Reads => {
  const all = new Set(names)
  return DATASETS.filter((name) => all.has(name))
}

describe.each([quickestDatabase()])('the datasets that an answer names on %s', (kind) => {
  let app: TestApp
  let database: Database
  let watched: Database
  let key: string
  let tables: readonly string[]
  let given: Readonly<Record<string, readonly Arguments[]>>
  const statements: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    watched = interposed(
      database,
      (sql, parameters = []) => void statements.push({ sql: sql.trim(), parameters }),
    )
    // What is kept reads nothing.
    app = await startTestApp(kind, { database: watched, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'enterprise' })
    const found = await database.rows<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
         and c.relnamespace = 'public'::regnamespace`,
    )
    tables = found.map(({ name }) => name)
    const [newest] = await database.rows<{ id: string }>(
      'select snapshot_id as id from analysis_snapshot order by generated_at desc limit 1',
    )
    given = {
      ...VARIANTS,
      macro_series: await database.rows<Arguments>(
        `select distinct on (provider) provider, dataset || '.' || series_key as key from macro_series`,
      ),
      ai_analysis_snapshot: [{ snapshot_id: newest?.id }],
      api_key: [{ key_id: 'nothing' }],
    }
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })
  beforeEach(() => {
    statements.length = 0
  })

  /** Tables that the statements since the last call read, but those of every request. */
  async function tablesRead(): Promise<ReadonlySet<string>> {
    const own = statements
      .splice(0)
      .filter(({ sql }) => !OF_EVERY_REQUEST.some((pattern) => pattern.test(sql)))
    const read = await Promise.all(
      own.map(async ({ sql, parameters }) => {
        if (sql.includes('star_public.')) return tablesOfPlan(sql, parameters)
        return tables
          .filter((table) => new RegExp(`\\b${table}\\b`).test(sql))
          .flatMap((table) => {
            if (TOTALS.includes(table)) return countedIn(parameters)
            return OF_PROVIDERS.includes(table) ? providersIn(parameters) : table
          })
      }),
    )
    return new Set(read.flat())
  }

  /** A view names tables of columns that nobody asked for; its plan has those that are read. */
  async function tablesOfPlan(sql: string, parameters: readonly unknown[]): Promise<readonly string[]> {
    const [plan] = await database.rows<{ 'QUERY PLAN': unknown }>(`explain (format json) ${sql}`, parameters)
    const names = [...JSON.stringify(plan).matchAll(/"Relation Name":"(\w+)"/g)].map(([, name = '']) => name)
    const roots = names.map((name) =>
      tables.find((table) => new RegExp(`^${table}(_\\d{4}|_before.*|_later)?$`).test(name)),
    )
    // A row of dataset_state changes with the version of its dataset, which the answer names.
    return roots.flatMap((name) => (name === undefined || name === 'dataset_state' ? [] : name))
  }

  /** The datasets of tables; null where one belongs to none. */
  function datasetsOf(read: ReadonlySet<string>): Reads {
    const datasets = [...read].map(
      (table) => DATASETS.find((name) => table === `rows of ${name}`) ?? DATASET_OF[table] ?? null,
    )
    return datasets.some((dataset) => dataset === null) ? null : named(datasets.flatMap((name) => name ?? []))
  }

  function variantsOf(root: RootField): readonly Arguments[] {
    const variants = given[root.name] ?? [{}]
    expect(variants.flatMap((more) => argumentsWithoutExample(root, more))).toEqual([])
    return variants.map((more) => exampleArguments(root, { ...more }))
  }

  async function ask(call: Promise<Answer>, mayFail: boolean): Promise<void> {
    const { status, text } = await call
    if (!mayFail) expect([status, text.includes('"errors"') ? text : '']).toEqual([200, ''])
  }

  it('include every table', () => {
    const known = [...Object.keys(DATASET_OF), ...OF_PROVIDERS, ...TOTALS]
    expect(tables.filter((table) => !known.includes(table))).toEqual([])
    expect(tables).toEqual(expect.arrayContaining(['asset', 'candle', 'forex_rate', 'analysis_snapshot']))
  })

  it("include reads of Prisma's client, relations included, like plain SQL", async () => {
    const { etfReport, macroSeries, instrument } = watched.prisma
    await etfReport.findMany({ select: { reportId: true }, take: 1 })
    await macroSeries.findMany({ where: { provider: 'boj' }, take: 1 })
    expect(datasetsOf(await tablesRead())).toEqual(named(['etf', 'boj']))
    await instrument.findMany({ select: { asset: { select: { symbols: true } } }, take: 1 })
    expect(datasetsOf(await tablesRead())).toBeNull()
    await watched.rows('select 1 from etf_report')
    expect(datasetsOf(await tablesRead())).toEqual(['etf'])
  })

  it('take an as_of argument if a bi-temporal table is among them', async () => {
    const found = await database.rows<{ name: string }>(
      `select distinct table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'known_to'`,
    )
    const bitemporal = new Set(
      found.flatMap(({ name }) => DATASET_OF[name] ?? (OF_PROVIDERS.includes(name) ? MACRO_PROVIDERS : [])),
    )
    expect([...bitemporal]).toEqual(expect.arrayContaining(['forex', 'candles', 'bis', 'etf', 'protocols']))
    const without = QUERIES.filter(
      ({ field, endpoint: { reads } }) =>
        reads?.some((dataset) => bitemporal.has(dataset)) && !field.args.some(({ name }) => name === 'as_of'),
    ).map(({ name }) => name)
    const isExcused = (name: string) => (name.startsWith('star_') ? CURRENT : WITHOUT_AS_OF[name])
    expect(without.filter((name) => isExcused(name) === undefined)).toEqual([])
    expect(Object.keys(WITHOUT_AS_OF).filter((name) => !without.includes(name))).toEqual([])
  })

  it('take an as_of argument in REST wherever GraphQL has it', () => {
    const inRest = restSchema.getQueryType()?.getFields() ?? {}
    const withAsOf = QUERIES.filter(({ field }) => field.args.some(({ name }) => name === 'as_of'))
    const onlyInGraphql = withAsOf.filter(
      ({ name }) => inRest[name] && !inRest[name].args.some((argument) => argument.name === 'as_of'),
    )
    expect(onlyInGraphql.map(({ name }) => name)).toEqual([])
    expect(withAsOf.length).toBeGreaterThan(15)
  })

  it.each(QUERIES)(
    'are those that $name reads, in REST and GraphQL; none where it reads more',
    async (root) => {
      const { rest, reads } = root.endpoint
      const isThere = !['api_key', 'webhook', 'webhook_events', 'release'].includes(root.name)
      const read = new Set<string>()
      for (const args of variantsOf(root)) {
        await ask(callGraphql(app, root, args, { key }, fullSelection(root.field.type)), !isThere)
        for (const table of await tablesRead()) read.add(table)
        if (rest === null) continue
        await ask(callRest(app, root, rest, args, { key }), !isThere)
        for (const table of await tablesRead()) read.add(table)
      }
      if (OF_ALL_STATES.includes(root.name)) expect(reads).toEqual(DATASETS)
      else if (datasetsOf(read) === null || reads === null)
        expect([reads, root.name]).toEqual([null, root.name])
      else
        expect([root.name, named(reads)]).toEqual([
          root.name,
          named([...(datasetsOf(read) ?? []), ...(WRITTEN_WITH[root.name] ?? [])]),
        ])
    },
  )

  it.each(edges())('include those that the edge $name reads', async ({ name, root, wanted }) => {
    const field = edgeField(name)
    const declared = new Set([...(root.endpoint.reads ?? []), ...(field.extensions.edge?.reads ?? [])])
    const selection = wanted.replace('{ __typename }', fullSelection(field.type))
    const read = new Set<string>()
    for (const args of variantsOf(root)) {
      const answer = await callGraphql(app, root, args, { key }, selection)
      expect([answer.status, answer.body.errors]).toEqual([200, undefined])
      // What is read from more than datasets is never given again, so it names no versions.
      // So is what is fixed.
      const isVersioned = root.endpoint.reads !== null && declared.size > 0
      expect(versionedIn(answer)).toEqual(isVersioned ? named(declared) : [''])
      for (const table of await tablesRead()) read.add(table)
    }
    expect(datasetsOf(read)?.filter((dataset) => !declared.has(dataset))).toEqual([])
  })
})

function edgeField(name: string): GraphQLField<unknown, unknown> {
  const [typeName = '', fieldName = ''] = name.split('.')
  const type = graphSchema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
  if (field === undefined) throw new Error(`there is no ${name}`)
  return field
}

/** The datasets whose versions an answer names. */
function versionedIn({ headers }: Answer): readonly string[] {
  const members = (headers.get('x-data-version') ?? '').split(', ')
  return members.map((text) => text.replace(/=\d+$/, ''))
}
