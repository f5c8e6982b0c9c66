import { startOfDay } from '../../src/core/time.js'
import type { ServerName } from './contenders.js'
import { DOCUMENTS } from './documents.js'

/** A request and who answers it. */
export interface Case {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON text of a POST. */
  readonly body: string | null
  /** Only REST answers carry an ETag. */
  readonly isRest: boolean
  readonly servers: readonly ServerName[]
  /** The REST request for the same data, which Fastify is asked in its place; null: the case is REST, or has none. */
  readonly twin: Case | null
  /** Connections at most; null: as many as the run has. */
  readonly maxConnections: number | null
}

/** Slow contenders would answer less than once per connection in a visit: their rate would be chance. */
const HEAVY_CONNECTIONS = 10

const HOUR_MS = 3_600_000
const CANDLES = 500

// Ends with a day that is over, so that a run past the hour asks for the same windows.
const to = startOfDay(new Date())
const span = {
  from: new Date(to.getTime() - CANDLES * HOUR_MS).toISOString(),
  to: to.toISOString(),
}

function rest(name: string, path: string): Case {
  const servers = ['bare', 'fastify', 'gateway-cold', 'gateway'] as const
  return {
    name: `rest-${name}`,
    method: 'GET',
    path,
    body: null,
    isRest: true,
    servers,
    twin: null,
    maxConnections: null,
  }
}

function graphql(
  name: string,
  query: string,
  variables: Readonly<Record<string, string>>,
  given: Pick<Case, 'servers' | 'twin' | 'maxConnections'>,
): Case {
  const body = JSON.stringify({ query, variables })
  return { name: `graphql-${name}`, method: 'POST', path: '/graphql', body, isRest: false, ...given }
}

function graphqlOf(twin: Case, query: string, variables: Readonly<Record<string, string>> = {}): Case {
  const servers = ['bare', 'fastify', 'yoga', 'gateway-cold', 'gateway'] as const
  return graphql(twin.name.replace('rest-', ''), query, variables, { servers, twin, maxConnections: null })
}

/** What a server is asked in a case. */
export function requestOf(asked: Case, server: ServerName): Case {
  return server === 'fastify' && asked.twin !== null ? asked.twin : asked
}

const assets20 = rest('assets-20', '/v1/assets?asset_class=crypto&limit=20')
const asset = rest('asset', '/v1/assets/bitcoin')
const forex = rest('forex-30d', '/v1/forex?quote=USD')
const candles = rest(
  'candles-500',
  `/v1/assets/bitcoin/ohlcv?timeframe=1h&limit=${CANDLES}&from=${span.from}&to=${span.to}`,
)
const latest = rest('ai-latest', '/v1/assets/bitcoin/ai-analysis/latest')

export const CASES: readonly Case[] = [
  assets20,
  asset,
  forex,
  candles,
  latest,
  graphqlOf(assets20, DOCUMENTS.assets20),
  graphqlOf(asset, DOCUMENTS.asset, { id: 'bitcoin' }),
  graphqlOf(forex, DOCUMENTS.forex, { quote: 'USD' }),
  graphqlOf(candles, DOCUMENTS.candles, { id: 'bitcoin', ...span }),
  graphqlOf(latest, DOCUMENTS.latest, { id: 'bitcoin' }),
  graphql(
    'nested',
    DOCUMENTS.nested,
    {},
    {
      servers: ['bare', 'yoga', 'prisma-include', 'gateway-cold', 'gateway'],
      twin: null,
      maxConnections: HEAVY_CONNECTIONS,
    },
  ),
]
