import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Response } from '@whatwg-node/fetch'
import { createSchema, createYoga } from 'graphql-yoga'
import { type PagesOptions, usePages } from '../../src/http/pages.js'

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

/** The pages over a small schema with the fields of the example operations, which asks for a key as the gateway does. */
export async function startToyGateway(options: Partial<PagesOptions> = {}): Promise<Gateway> {
  const pages: PagesOptions = {
    graphqlPath: '/graphql',
    openApi: () => JSON.stringify(OPENAPI),
    developmentKey: KEY,
    version: '1.2.3',
    ...options,
  }
  const yoga = createYoga({
    schema: createSchema({ typeDefs: TYPES, resolvers: RESOLVERS }),
    graphiql: false,
    landingPage: false,
    logging: false,
    plugins: [
      usePages(pages),
      {
        onRequest({ request, url, endResponse }) {
          if (url.pathname !== '/graphql' && !url.pathname.startsWith('/v1')) return
          if (request.headers.get('x-api-key') !== KEY)
            endResponse(Response.json({ error: 'unauthorized' }, { status: 401 }))
          else if (url.pathname === '/v1/forex')
            endResponse(Response.json(rates(url.searchParams.get('quote') ?? '')))
        },
      },
    ],
  })
  const server = createServer(yoga)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    key: pages.developmentKey,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}
