import { graphql } from 'graphql'
import { createSchema } from 'graphql-yoga'
import { createListener, type Handle } from '../../../src/gateway/http/node.js'
import { newProgress } from '../../../src/gateway/http/progress.js'
import { type FinishOptions, finish } from '../../../src/gateway/http/response/finish.js'
import { OpenStreams } from '../../../src/gateway/http/response/open-streams.js'
import { pages as createPages, guideSearch, type PagesOptions } from '../../../src/gateway/pages/pages.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { FinishedReply } from '../../../src/platform/request/exchange.js'
import { ANONYMOUS } from '../../../src/policy/principal.js'
import { listen } from '../../support/peers/sockets.js'

export interface Gateway {
  readonly url: string
  /** The key that the pages are expected to carry. */
  readonly key: string | null
  readonly close: () => Promise<void>
}

const KEY = 'mdg_test_toy'

const TYPES = `
  type Freshness { freshness_status: String! data_freshness_seconds: Int! last_updated_at: String! next_refresh_at: String! sources: [String!]! }
  type Meta { total: Int has_next: Boolean is_dev_dataset: Boolean source: String }
  type Stock { isin: String figi: String mic: String currency: String }
  enum AssetClass { crypto stock }
  type Asset { asset_id: Int! ticker: String! name: String! tier: Int price_consensus_usd: Float last_updated: String stock: Stock }
  type Assets { data: [Asset!]! meta: Meta! _meta: Freshness }
  type OneAsset { data: Asset! meta: Meta! _meta: Freshness }
  type Rate { date: String! rate: Float! }
  type Forex { base: String! quote: String! source: String! rows: Int! data: [Rate!]! inverse: Forex! _meta: Freshness }
  type Found { ticker: String! name: String asset_class: String figi: String isin: String mic: String currency: String slug: String analyses_available: [String!]! }
  type Query {
    assets(limit: Int = 20, asset_class: AssetClass): Assets!
    asset(id: String!): OneAsset!
    forex(quote: String!): Forex!
    discover(ticker: String!): Found!
  }
`

const meta = { total: 1, has_next: false, is_dev_dataset: true, source: 'seed' }
const _meta = {
  freshness_status: 'fresh',
  data_freshness_seconds: 60,
  last_updated_at: '2026-01-30T15:00:00Z',
  next_refresh_at: '2026-02-02T15:00:00Z',
  sources: ['seed'],
}
const apple = { isin: 'US0378331005', figi: 'BBG000B9XRY4', mic: 'XNAS', currency: 'USD' }
const asset = { asset_id: 1, ticker: 'AAPL', name: 'Apple', stock: apple }
const rates = (quote: string) => ({
  base: 'EUR',
  quote,
  source: 'seed',
  rows: 1,
  data: [{ date: '2026-01-30', rate: 1.1919 }],
  _meta,
})

const RESOLVERS = {
  Query: {
    assets: () => ({ data: [asset], meta, _meta }),
    asset: () => ({ data: { ...asset, ticker: 'BTC', name: 'Bitcoin', stock: null }, meta, _meta }),
    forex: (_root: unknown, { quote }: { quote: string }) => ({ ...rates(quote), inverse: rates(quote) }),
    discover: () => ({ ...apple, ticker: 'AAPL', analyses_available: [] }),
  },
}

const parameter = (name: string, example: string) => ({
  name,
  in: 'query',
  required: true,
  schema: { type: 'string' },
  example,
})
const operation = (summary: string, parameters: readonly unknown[]) => ({
  get: { tags: ['data'], summary, parameters, responses: { 200: { description: 'The data.' } } },
})
const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Toy', version: '1.0.0' },
  components: { securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  security: [{ ApiKey: [] }],
  paths: {
    '/v1/assets': operation('List assets', []),
    '/v1/forex': operation('Euro exchange rates', [parameter('quote', 'USD')]),
  },
}

const openApi = async () => JSON.stringify(OPENAPI)

/** Nobody is known here, so nobody is metered. */
const FINISH: FinishOptions = {
  meter: null as never,
  accessLog: { note: () => {} },
  streams: new OpenStreams(),
  receipts: () => null,
  corsOrigins: 'any',
  transportSecurity: () => [],
}

function jsonReply(status: number, body: unknown): FinishedReply {
  return { status, headers: ['content-type', 'application/json'], body: JSON.stringify(body) }
}

/** The pages over a small schema with the fields of the example operations, which asks for a key as the gateway does. */
export async function startToyGateway(options: Partial<PagesOptions> = {}): Promise<Gateway> {
  const pages: PagesOptions = {
    graphqlPath: '/graphql',
    openApi: { short: openApi, full: openApi },
    sampleUrl: 'http://127.0.0.1:4000',
    pageKey: KEY,
    isDemoKey: false,
    isTrustedOnly: false,
    interfaces: [],
    version: '1.2.3',
    ...options,
  }
  const schema = createSchema({ typeDefs: TYPES, resolvers: RESOLVERS })
  const sites = [createPages(pages), guideSearch(pages)] as const
  const handle: Handle = async (exchange, problem) => {
    if (problem !== null) return jsonReply(problem.status, { error: problem.code })
    const reply = (site: (typeof sites)[number]) =>
      site(
        exchange,
        () => Promise.resolve(ANONYMOUS),
        () => {},
      )
    const page = await (reply(sites[0]) ?? reply(sites[1]))
    if (page !== null) return finish(exchange, newProgress(), page, FINISH)
    const { path, search } = exchange
    const isGuarded = path === '/graphql' || path.startsWith('/v1')
    if (isGuarded && exchange.header('x-api-key') !== KEY) return jsonReply(401, { error: 'unauthorized' })
    if (path === '/v1/forex') return jsonReply(200, rates(new URLSearchParams(search).get('quote') ?? ''))
    if (path !== '/graphql' || exchange.body === null) return jsonReply(404, { error: 'not_found' })
    const { query, variables } = JSON.parse(exchange.body.toString())
    return jsonReply(200, await graphql({ schema, source: query, variableValues: variables }))
  }
  const log = createLogger('fatal', { write: () => {} })
  const clock = { now: () => new Date() }
  const server = await listen(
    createListener(handle, { clock, log, hashAddress: () => 'toy', isDraining: () => false }),
  )
  return { url: server.url, key: pages.pageKey, close: server.close }
}
