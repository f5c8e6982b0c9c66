import { stateOfParts } from '../../platform/database/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { DISCOVER_PER_DAY_FREE } from '../../policy/limits.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT } from '../../schema-kit/shared-arguments.js'
import { AssetClassType } from '../assets/schema.js'
import { IDENTIFIER_BUDGET_MS, type Listing, TICKERS_PER_HOUR } from './model.js'
import { type Discovery, discover, parseDiscover } from './service.js'

/** Datasets that a stock is answered from, its market capitalisation included. */
export const STOCK_READS = ['instruments', 'prices', 'filings', 'corporate_actions'] as const

const NO_CONSENSUS =
  'Null for every stock: a consensus is made from the trades of several venues, which are read for crypto assets only.'

export const InstrumentStockType = builder.objectRef<Listing>('InstrumentStock').implement({
  description: 'A listing of a stock, with the market capitalisation by its newest price.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'Upper-case ticker on its market.' }),
    name: t.exposeString('name', {
      description: 'Name of the company, with the share class where it has several.',
    }),
    isin: t.exposeString('isin', {
      nullable: true,
      description: 'ISIN (ISO 6166). Null while it is not known.',
    }),
    figi: t.exposeString('figi', {
      nullable: true,
      description: "Composite FIGI of the listing's country. Null while it is not known.",
    }),
    mic: t.exposeString('mic', {
      nullable: true,
      description: 'Primary market (ISO 10383). Null while it is not known.',
    }),
    currency: t.exposeString('currency', { description: 'Trading currency (ISO 4217).' }),
    sector_gics: t.exposeString('sectorGics', {
      nullable: true,
      description: 'GICS sector. Null while it is not known.',
    }),
    cik: t.exposeString('cik', {
      nullable: true,
      description: 'SEC central index key, 10 digits. Null for companies that do not file with the SEC.',
    }),
    price_consensus_usd: t.float({
      nullable: true,
      description: `Consensus price of one share, USD. ${NO_CONSENSUS}`,
      resolve: () => null,
    }),
    confidence_score: t.float({
      nullable: true,
      description: `Confidence in the consensus price, 0 to 1. ${NO_CONSENSUS}`,
      resolve: () => null,
    }),
    source_count: t.int({
      nullable: true,
      description: `Venues behind the consensus price. ${NO_CONSENSUS}`,
      resolve: () => null,
    }),
    last_updated: t.expose('lastUpdated', {
      type: 'DateTime',
      description: 'When the source last confirmed these facts.',
    }),
  }),
})

interface DiscoverResult extends Discovery {
  readonly _meta: Freshness
}

export const DiscoverResultType = builder.objectRef<DiscoverResult>('DiscoverResult').implement({
  description:
    'What a ticker means: from the instrument master, else from the identifier service (OpenFIGI). Null where neither says.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'The ticker asked for, upper case.' }),
    figi: t.exposeString('figi', {
      nullable: true,
      description:
        "FIGI, check digit verified; the composite of the listing's country where there is one. Null while it is not known.",
    }),
    name: t.exposeString('name', { description: 'Name of the instrument, as its source writes it.' }),
    asset_class: t.expose('assetClass', {
      type: AssetClassType,
      nullable: true,
      description: 'crypto, stock, etf or commodity. Null for any other kind of instrument.',
    }),
    isin: t.exposeString('isin', {
      nullable: true,
      description: 'ISIN (ISO 6166). Null while it is not known; OpenFIGI gives none.',
    }),
    mic: t.exposeString('mic', {
      nullable: true,
      description:
        'Market (ISO 10383). Null for what has none, and where the instrument is listed on several markets.',
    }),
    currency: t.exposeString('currency', {
      nullable: true,
      description:
        'Trading currency (ISO 4217). Null where its market trades in several and the source does not say.',
    }),
    slug: t.exposeString('slug', {
      nullable: true,
      description: `${ASSET_SLUG_TEXT} Null for what is not in the instrument master.`,
    }),
    _meta: t.expose('_meta', {
      type: FreshnessType,
      description:
        'How old the facts are: of the instrument master, or of the answer of the identifier service.',
    }),
  }),
})

queryEndpoint('discover', {
  isUnsteady: true,
  summary: 'What a ticker means',
  description:
    'Identifiers, class and slug of the instrument with this ticker. The instrument master is asked first: of several ' +
    'listings with the ticker a primary one counts, then crypto before stock, ETF and commodity. What it does not know ' +
    `is asked of OpenFIGI within ${IDENTIFIER_BUDGET_MS / 1_000} seconds; answers are kept for 30 days, "unknown" for one. ` +
    'Unknown to both: 404. OpenFIGI out of reach: 503 with the time of the next try, never 404. ' +
    `Whoever has OpenFIGI asked is charged whatever it answers, for at most ${TICKERS_PER_HOUR} tickers an hour and account. ` +
    `On the free tier ${DISCOVER_PER_DAY_FREE} calls a day.`,
  access: 'caller',
  cost: 'discover',
  rest: { method: 'GET', path: '/v1/discover/{ticker}', tag: 'discover' },
  errors: ['not_found', 'service_unavailable'],
  type: DiscoverResultType,
  args: (arg) => ({
    ticker: arg.string({
      required: true,
      description: 'Ticker, upper or lower case: 1 to 20 letters, digits or . - = ^.',
      ...hints({ example: 'AAPL', maxLength: 20 }),
    }),
  }),
  check: ({ ticker }) => parseDiscover(ticker),
  resolve: async (ticker, context) => {
    const discovery = await discover(ticker, context)
    return { ...discovery, _meta: freshnessOfDiscovery(discovery, context) }
  },
})

/** An answer of the service belongs to no dataset: it is as old as itself. */
function freshnessOfDiscovery({ answer, masterSource }: Discovery, context: RequestContext): Freshness {
  const state = answer
    ? { source: answer.source, observedAt: answer.answeredAt }
    : stateOfParts(
        datasetStateOf(context, 'instruments'),
        new Set(masterSource === null ? [] : [masterSource]),
      )
  return freshness(context, state, 'identifier')
}
