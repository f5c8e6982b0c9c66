import { startOfDay, toIsoDate } from '../../../../src/core/time.js'
import { LABELLED_ADDRESSES } from '../../../../src/domains/onchain/labels-model.js'
import { MAX_LEIS } from '../../../../src/domains/screening/service.js'
import { SEED_ENTITIES } from '../../../../src/ingest/datasets/screening/screening-entities.js'
import type { ContenderKind, ServerKind } from '../contenders.js'
import { DOCUMENTS } from './documents.js'
import { pathsOf } from './many-paths.js'
import { ASSET, ASSETS_20, FOREX, NESTED, type Translation } from './translations.js'

/** Requests and the contenders that get them. */
export interface Case {
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** One path, or several that are requested in turn. */
  readonly paths: readonly [string, ...string[]]
  /** JSON body of a POST. */
  readonly body: string | null
  readonly contenders: readonly ContenderKind[]
  /** The REST request for the same data, which Fastify gets instead; null for a REST case, or without such a request. */
  readonly twin: Case | null
  /** Largest number of connections; null for the number of the run. */
  readonly maxConnections: number | null
  /** The same request for PostGraphile; null if it gets none. */
  readonly translation: Translation | null
}

/** With more connections, slow contenders would respond less than once per connection in a measurement. */
const HEAVY_CONNECTIONS = 10

const HOUR_MS = 3_600_000
const CANDLES = 500

// The range ends with a finished day, so that a run across the hour requests the same windows.
const to = startOfDay(new Date())
const span = {
  from: new Date(to.getTime() - CANDLES * HOUR_MS).toISOString(),
  to: to.toISOString(),
}

function dayBefore(days: number): string {
  return toIsoDate(new Date(to.getTime() - days * 24 * HOUR_MS))
}

function rest(name: string, path: string): Case {
  return {
    name: `rest-${name}`,
    method: 'GET',
    paths: [path],
    body: null,
    contenders: [
      'bare',
      'bare-headers',
      'bare-304',
      'fastify',
      'gateway-cold',
      'gateway-warm',
      'gateway-br',
      'gateway-304', // only REST answers carry an ETag
    ],
    twin: null,
    maxConnections: null,
    translation: null,
  }
}

function graphql(
  name: string,
  query: string,
  variables: Readonly<Record<string, string>>,
  given: Pick<Case, 'contenders' | 'twin' | 'maxConnections' | 'translation'>,
): Case {
  const body = JSON.stringify({ query, variables })
  return {
    name: `graphql-${name}`,
    method: 'POST',
    paths: ['/graphql'],
    body,
    ...given,
  }
}

const GRAPHQL_CONTENDERS = ['bare', 'bare-headers', 'yoga', 'gateway-cold', 'gateway-warm'] as const

/** Servers that get the translated cases. */
const OTHER_SERVERS = ['mercurius', 'apollo', 'postgraphile'] as const

function graphqlOf(
  twin: Case,
  query: string,
  variables: Readonly<Record<string, string>>,
  translation: Translation | null,
): Case {
  const name = twin.name.replace('rest-', '')
  const others = translation === null ? [] : OTHER_SERVERS
  const contenders = ['fastify', ...GRAPHQL_CONTENDERS, ...others] as const
  return graphql(name, query, variables, { contenders, twin, translation, maxConnections: null })
}

/** The request of a case for a server. */
export function requestOf(benchCase: Case, server: ServerKind): Case {
  if (server === 'fastify' && benchCase.twin !== null) return benchCase.twin
  const { translation } = benchCase
  if (server !== 'postgraphile' || translation === null) return benchCase
  return {
    ...benchCase,
    body: JSON.stringify({ query: translation.query, variables: translation.variables }),
  }
}

const assets20 = rest('assets-20', '/v1/assets?asset_class=crypto&limit=20')
const asset = rest('asset', '/v1/assets/bitcoin')
const forex = rest('forex-30d', '/v1/forex?quote=USD')
/** Rates of some 100 publication days. */
const rates = rest('forex-100', `/v1/forex?quote=USD&from=${dayBefore(143)}&to=${dayBefore(1)}`)
const candles = rest(
  'candles-500',
  `/v1/assets/bitcoin/ohlcv?timeframe=1h&limit=${CANDLES}&from=${span.from}&to=${span.to}`,
)
const latest = rest('ai-latest', '/v1/assets/bitcoin/ai-analysis/latest')

/** A page of 100 observations of a daily series. */
const macro: Case = {
  ...rest('macro-100', '/v1/macro/japan/BOJ_FM08_FXERD04?limit=100'),
  contenders: ['bare', 'bare-headers', 'bare-304', 'gateway-cold', 'gateway-warm', 'gateway-304'],
}

/** An address on a gateway without nodes: the stored snapshot of a day. */
const snapshot: Case = {
  ...rest('onchain', `/v1/onchain/1/${labelledAddress(1)}?snapshot_date=${dayBefore(1)}`),
  contenders: macro.contenders,
}

function labelledAddress(chainId: number): string {
  const found = LABELLED_ADDRESSES.find((one) => one.chainId === chainId)
  if (found === undefined) throw new Error(`no address of chain ${chainId} has a label`)
  return found.address
}

const manyPaths: Case = {
  ...rest('many-urls', ''),
  paths: pathsOf(to),
  contenders: ['bare', 'bare-headers', 'fastify', 'gateway-cold', 'gateway-warm'],
}

/** The largest number that one request may name. Two thirds of them are on lists. */
const SCREENED = SEED_ENTITIES.filter(({ number }) => number % 3 === 0)
  .slice(0, MAX_LEIS)
  .map(({ lei }) => lei)

/** The gateway does not cache a POST over REST. */
const screening: Case = {
  ...rest('screening-50', '/v1/sanctions/screen'),
  method: 'POST',
  body: JSON.stringify({ leis: SCREENED }),
  contenders: ['bare', 'bare-headers', 'gateway-cold'],
  maxConnections: HEAVY_CONNECTIONS,
}

export const CASES: readonly Case[] = [
  assets20,
  asset,
  forex,
  rates,
  candles,
  latest,
  macro,
  snapshot,
  manyPaths,
  graphqlOf(assets20, DOCUMENTS.assets20, {}, ASSETS_20),
  graphqlOf(asset, DOCUMENTS.asset, { id: 'bitcoin' }, ASSET),
  graphqlOf(forex, DOCUMENTS.forex, { quote: 'USD' }, FOREX),
  graphqlOf(candles, DOCUMENTS.candles, { id: 'bitcoin', ...span }, null),
  graphqlOf(latest, DOCUMENTS.latest, { id: 'bitcoin' }, null),
  screening,
  {
    ...screening,
    name: 'graphql-screening-50',
    paths: ['/graphql'],
    body: JSON.stringify({ query: DOCUMENTS.screening, variables: { leis: SCREENED } }),
    contenders: ['bare', 'bare-headers', 'gateway-cold', 'gateway-warm'],
  },
  graphql(
    'nested',
    DOCUMENTS.nested,
    {},
    {
      contenders: ['prisma-include', ...GRAPHQL_CONTENDERS, ...OTHER_SERVERS],
      twin: null,
      translation: NESTED,
      maxConnections: HEAVY_CONNECTIONS,
    },
  ),
]
