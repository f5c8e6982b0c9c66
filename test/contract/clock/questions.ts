import { sha256Hex } from '../../../src/core/canonical-json.js'
import { EXTENSIONS, type ExportMediaType } from '../../../src/gateway/rest/response/export-type.js'
import { exportPath } from '../../../src/gateway/rest/routes/rest-route.js'
import type { Database } from '../../../src/platform/database/database.js'
import type { FuzzRequest } from '../../fuzz/requests.js'
import {
  type Arguments,
  exampleArguments,
  type RootField,
  restPath,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { fullSelection, selectionWithEdges } from '../../support/app/selections.js'
import { LATER_NAMES } from './later-facts.js'

/** A request of one interface, without credentials. */
export interface Question {
  readonly by: Interface
  readonly request: Omit<FuzzRequest, 'headers'> & { readonly headers: Readonly<Record<string, string>> }
}

export const INTERFACES = [
  'rest',
  'export',
  'graphql',
  'aliases',
  'persisted',
  'get',
  'websocket',
  'mcp',
  'compat',
] as const
export type Interface = (typeof INTERFACES)[number]

type Random = () => number

/** Draws questions: the same for the same random numbers. */
export async function createQuestions(database: Database, documents: ReadonlyMap<string, string>) {
  const names = async (sql: string) => (await database.rows<{ name: string }>(sql)).map(({ name }) => name)
  const known: Known = {
    slugs: [
      'bitcoin',
      'ethereum',
      'solana',
      'cardano',
      'apple',
      'gold',
      ...LATER_NAMES.map(({ slug }) => slug),
    ],
    tickers: [
      ...(await names(
        `select ticker as name from instrument where asset_id between 1000 and 1999 order by 1 limit 12`,
      )),
      ...(await names(
        `select distinct value as name from instrument_identifier where scheme = 'ticker' and valid_to is not null`,
      )),
      ...LATER_NAMES.map(({ ticker }) => ticker),
      'ZZL1001',
      'NOPE',
    ],
    funds: [
      ...(await names(
        `select i.ticker as name from instrument i join asset using (asset_id) where asset_class = 'etf' order by 1 limit 8`,
      )),
      'ZZLF',
      'NOPE',
    ],
    series: await names(
      `select distinct on (provider) provider || ' ' || dataset || ' ' || series_key as name from macro_series order by provider, series_id limit 12`,
    ),
    leis: await names('select lei as name from legal_entity order by 1 limit 6'),
    ids: await names('select asset_id::text as name from asset order by asset_id limit 5'),
  }
  const roots = new Map(rootFields().map((root) => [root.name, root]))
  const asked = Object.keys(ARGUMENTS)
  const others = [...roots.keys()].filter(
    (name) => !(name in ARGUMENTS) && !['delete_me', 'login', 'register'].includes(name),
  )
  return (random: Random): Question => {
    const by = pick(random, INTERFACES)
    if (by === 'compat') return compatQuestion(random, known)
    const ask = (): [RootField, Arguments] => {
      const name = random() < 0.85 ? pick(random, asked) : pick(random, others)
      const root = roots.get(name)
      if (root === undefined) throw new Error(`there is no field ${name}`)
      const own = ARGUMENTS[name]?.(random, known) ?? exampleArguments(root, {})
      return [root, { ...own, ...asOf(random, root) }]
    }
    return toQuestion(by, random, ask, documents)
  }
}

interface Known {
  readonly slugs: readonly string[]
  readonly tickers: readonly string[]
  readonly funds: readonly string[]
  readonly series: readonly string[]
  readonly leis: readonly string[]
  readonly ids: readonly string[]
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value // within the list
}

/** Members that are drawn or left out. */
function some(random: Random, members: Arguments): Arguments {
  return Object.fromEntries(Object.entries(members).filter(() => random() < 0.4))
}

function asOf(random: Random, { field }: RootField): Arguments {
  const name = ['known_at', 'as_of'].find((one) =>
    field.args.some((argument) => argument.name === one && String(argument.type) === 'DateTime'),
  )
  if (name === undefined || random() > 0.2) return {}
  return {
    [name]: pick(random, [
      '2026-09-01T00:00:00Z',
      '2026-10-01T00:00:00Z',
      '2026-11-20T12:30:00Z',
      '2026-11-22T00:00:00Z',
      '2030-01-01T00:00:00Z',
    ]),
  }
}

const DAYS = [
  '2026-09-15',
  '2026-10-01',
  '2026-10-20',
  '2026-11-02',
  '2026-11-18',
  '2026-11-20',
  '2026-11-22',
]

const days = (random: Random): Arguments => {
  const [from, to] = [pick(random, DAYS), pick(random, DAYS)].sort()
  return some(random, { from, to })
}

const instants = (random: Random): Arguments =>
  Object.fromEntries(Object.entries(days(random)).map(([name, day]) => [name, `${day}T00:00:00Z`]))

const asset = (random: Random, { slugs }: Known) => ({ id: pick(random, slugs) })

const page = (random: Random) => some(random, { limit: pick(random, [1, 5, 50]), page: pick(random, [1, 2]) })

const offset = (random: Random) =>
  some(random, { limit: pick(random, [1, 5, 50]), offset: pick(random, [0, 1, 5]) })

const macro = (random: Random, { series }: Known, wanted?: string) => {
  const all = series.map((text) => text.split(' '))
  const [provider = '', dataset = '', key = ''] = pick(
    random,
    wanted === undefined ? all : all.filter(([id]) => id === wanted),
  )
  return { provider, dataset, key }
}

/** Arguments that mostly have an answer, of every field that answers as of an instant. */
const ARGUMENTS: Readonly<Record<string, (random: Random, known: Known) => Arguments>> = {
  forex: (random) => ({
    quote: pick(random, ['USD', 'JPY', 'GBP', 'BGN', 'ZZL']),
    ...days(random),
    ...some(random, { inverse: true }),
  }),
  forex_convert: (random) => ({
    from: pick(random, ['EUR', 'USD', 'GBP']),
    to: [pick(random, ['JPY', 'CHF', 'SEK'])],
    ...some(random, { amount: '250', date: pick(random, DAYS) }),
  }),
  forex_cross: (random) => ({
    base: pick(random, ['USD', 'EUR']),
    ...some(random, { quote: ['JPY', 'CHF'] }),
    ...days(random),
  }),
  forex_currencies: () => ({}),
  ohlcv: (random, known) => ({
    ...asset(random, known),
    ...instants(random),
    ...some(random, { timeframe: '1h', limit: pick(random, [1, 10]) }),
  }),
  candles: (random, { slugs }) => ({
    ...some(random, { slugs: [pick(random, slugs), 'bitcoin'] }),
    ...instants(random),
    limit: pick(random, [2, 50]),
  }),
  exchange_candles: (random, known) => ({
    ...asset(random, known),
    exchange: pick(random, ['kraken', 'binance', 'coinbase']),
    ...instants(random),
  }),
  consensus_inputs: (random, known) => ({
    ...asset(random, known),
    ...some(random, { timeframe: '1h', ts: `${pick(random, DAYS)}T00:00:00Z` }),
  }),
  asset_fundamentals: asset,
  onchain_metrics: asset,
  ai_analysis_history: (random, { slugs }) => ({
    asset_id: pick(random, slugs),
    ...some(random, { analysis_type: 'regime', limit: 3 }),
  }),
  corporate_actions: (random, { tickers }) => ({ ticker: pick(random, tickers), ...offset(random) }),
  dividends: (random, { tickers }) => ({ ticker: pick(random, tickers), ...offset(random) }),
  stock_prices: (random, { tickers }) => ({
    ticker: pick(random, tickers),
    ...days(random),
    ...page(random),
    ...some(random, { adjust: pick(random, ['all', 'splits']) }),
  }),
  etf_prices: (random, { funds }) => ({ ticker: pick(random, funds), ...days(random), ...page(random) }),
  etf: (random, { funds }) => ({
    ticker: pick(random, funds),
    ...some(random, { report_date: pick(random, DAYS) }),
  }),
  etf_instrument: (random, { funds }) => ({ ticker: pick(random, funds) }),
  etf_holdings: (random, { funds }) => ({ ticker: pick(random, funds), ...offset(random) }),
  etf_reports: (random, { funds }) => ({ ticker: pick(random, funds), ...offset(random) }),
  etfs: offset,
  held_by: (random, { tickers }) => ({ ticker: pick(random, tickers), ...offset(random) }),
  commodities: () => ({}),
  commodity: (random) => ({ symbol: pick(random, ['XAU', 'CL', 'NG', 'ZZL']) }),
  commodity_prices: (random) => ({
    symbol: pick(random, ['XAU', 'CL', 'NG']),
    ...days(random),
    ...page(random),
  }),
  macro_series: (random, known) => {
    const { provider, dataset, key } = macro(random, known)
    return { provider, key: `${dataset}.${key}`, ...page(random), ...some(random, { vintages: true }) }
  },
  bis_series: (random, known) => {
    const { dataset, key } = macro(random, known, 'bis')
    return { dataset_code: dataset, series_key: key, ...page(random), ...some(random, { vintages: true }) }
  },
  boj_series: (random, known) => {
    const { dataset, key } = macro(random, known, 'boj')
    return { series_id: pick(random, [`BOJ_${key}`, `BOJ_${dataset}_${key}`, 'BOJ_NOPE']), ...page(random) }
  },
  bok_series: (random, known) => {
    const { dataset, key } = macro(random, known, 'bok')
    return { series_id: pick(random, [`BOK_${key}`, `BOK_${dataset}_${key}`]), ...page(random) }
  },
  symbol: (random, { tickers }) => ({
    ticker: pick(random, tickers),
    ...some(random, { on: pick(random, DAYS) }),
  }),
  screen_leis: (random, { leis }) => ({ leis: [pick(random, leis)] }),
  releases: offset,
  release: () => ({ dataset: 'forex', release_id: '20261121T000000.000Z-000000000000' }),
}

const COMPAT: readonly ((random: Random, known: Known) => string)[] = [
  (random) => `frankfurter/v1/latest?symbols=${pick(random, ['USD', 'JPY,GBP'])}`,
  (random) => `frankfurter/v1/${pick(random, DAYS)}?symbols=USD`,
  (random) => `frankfurter/v1/${pick(random, DAYS)}..`,
  () => 'frankfurter/v1/currencies',
  (random) => `frankfurter/v2/rates?base=USD&quotes=${pick(random, ['JPY', 'CHF'])}`,
  () => 'frankfurter/v2/rate/EUR/USD',
  () => 'frankfurter/v2/currencies',
  (random) => `udf/symbols?symbol=${pick(random, ['BTC', 'AAPL', 'ZZLC'])}`,
  (random) => `udf/search?query=${pick(random, ['bit', 'zz', 'apple'])}&limit=5`,
  (random) =>
    `udf/history?symbol=${pick(random, ['BTC', 'AAPL', 'ZZLC'])}&resolution=1D&from=1790000000&to=${pick(random, ['1795300000', '1795600000'])}&countback=20`,
  () => 'udf/marks?symbol=AAPL&resolution=1D&from=1700000000&to=1795600000',
  () => 'udf/config',
  (random, { series }) =>
    `fred/fred/series/observations?series_id=${pick(random, series).split(' ')[2]}&file_type=json&limit=5`,
  (random, { series }) => `fred/fred/series?series_id=${pick(random, series).split(' ')[2]}&file_type=json`,
  (random, { series }) =>
    `fred/fred/series/vintagedates?series_id=${pick(random, series).split(' ')[2]}&file_type=json`,
  () => 'fred/fred/series/search?search_text=rate&file_type=json',
  (random, known) => {
    const { dataset, key } = macro(random, known, 'bis')
    return `sdmx/data/${dataset}/${key}`
  },
  () => 'sdmx/data/EXR/D.USD.EUR.SP00.A?lastNObservations=3',
  (random) => `cell/forex/data.0.rate?quote=${pick(random, ['USD', 'JPY'])}`,
  (random, known) => `cell/ohlcv/data.candles.0.vwap_usd?id=${asset(random, known).id}`,
  () => 'openbb/widgets.json',
]

function compatQuestion(random: Random, known: Known): Question {
  return { by: 'compat', request: get(`/compat/${pick(random, COMPAT)(random, known)}`) }
}

function get(path: string): Question['request'] {
  return { method: 'GET', path, headers: {}, body: null }
}

function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Question['request'] {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

const FORMATS = Object.keys(EXTENSIONS) as ExportMediaType[] // the keys of a record of all of them

function toQuestion(
  by: Exclude<Interface, 'compat'>,
  random: Random,
  ask: () => [RootField, Arguments],
  documents: ReadonlyMap<string, string>,
): Question {
  const [root, args] = ask()
  const { rest } = root.endpoint
  const document = documents.get(root.name)
  const graphql = (query: string | undefined, variables: Arguments) =>
    post('/graphql', { query: query ?? '{ __typename }', variables: toVariables(variables) })
  if (by === 'mcp' && rest !== null) {
    const given = { operation: root.name, arguments: args }
    const tool = random() < 0.7 ? { name: 'run', arguments: given } : otherTool(random, args)
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }
    return {
      by,
      request: post('/mcp', message, {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      }),
    }
  }
  if (by === 'aliases') {
    const both = [[root, args] as const, ask()]
    return {
      by,
      request: graphql(
        `{ a: __typename ${both.map(([one, given], at) => aliased(one, given, at, random)).join(' ')} }`,
        {},
      ),
    }
  }
  if ((by === 'rest' || by === 'export') && rest !== null) {
    const path = restPath(
      root,
      {
        ...rest,
        path: by === 'export' && rest.table ? exportPath(rest.path, pick(random, FORMATS)) : rest.path,
      },
      args,
    )
    if (rest.method === 'GET')
      return { by, request: { ...get(path), method: random() < 0.1 ? 'HEAD' : 'GET' } }
    return { by, request: { ...post(path, args), method: rest.method } }
  }
  if (by === 'persisted') {
    const sha256Hash = sha256Hex(document ?? '')
    return {
      by,
      request: post('/graphql', {
        variables: toVariables(args),
        extensions: { persistedQuery: { version: 1, sha256Hash } },
      }),
    }
  }
  if (by === 'get') {
    const query = new URLSearchParams({
      query: document ?? '{ __typename }',
      variables: JSON.stringify(toVariables(args)),
    })
    return { by, request: get(`/graphql?${query}`) }
  }
  return { by: by === 'websocket' ? by : 'graphql', request: graphql(document, args) }
}

/** Enums of GraphQL have other names than the texts of REST. */
function toVariables(args: Arguments): Arguments {
  return args
}

function aliased({ name, field, operation }: RootField, args: Arguments, at: number, random: Random): string {
  if (operation === 'mutation') return ''
  const given = Object.entries(args)
    .filter(([argument]) => field.args.some((one) => one.name === argument))
    .map(
      ([argument, value]) =>
        `${argument}: ${literalOf(field.args.find((one) => one.name === argument)?.type, value)}`,
    )
  const text = given.length === 0 ? '' : `(${given.join(', ')})`
  const selection = random() < 0.6 ? fullSelection(field.type) : selectionWithEdges(field.type)
  return `f${at}: ${name}${text} ${selection}`
}

function literalOf(type: unknown, value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => literalOf(type, one)).join(', ')}]`
  return /^(?:Exchange|PriceAdjustment|MacroProvider|AiAnalysisType)!?$/.test(String(type))
    ? String(value)
    : JSON.stringify(value)
}

function otherTool(random: Random, args: Arguments): object {
  const { id = 'bitcoin' } = args
  return pick(random, [
    {
      name: 'search',
      arguments: { query: pick(random, ['bitcoin price', 'zzlater', 'zzlater coin', 'apple dividends']) },
    },
    { name: 'describe', arguments: { operation: pick(random, ['forex', 'ohlcv', 'datasets']) } },
    { name: 'price', arguments: { asset: id } },
    {
      name: 'convert',
      arguments: { text: pick(random, ['250 EUR in USD', '100 USD to JPY on 2026-11-18']) },
    },
    { name: 'screen', arguments: { imos: ['9187629'] } },
    { name: 'run', arguments: { operation: 'datasets' } },
  ])
}
