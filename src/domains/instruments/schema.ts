import { stateOfParts } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { DISCOVER_PER_DAY_FREE } from '../../policy/limits.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT } from '../../schema-kit/shared-arguments.js'
import { AssetClassType } from '../assets/schema.js'
import { type Discovery, discover, discoverOn, parseDiscover } from './discovery/discovery-service.js'
import { IDENTIFIER_BUDGET_MS, TICKERS_PER_HOUR } from './discovery/identifier-service-model.js'
import type { Listing } from './model.js'
import './symbols/symbol-schema.js'
import { instant, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'

/** The datasets of a stock, including those of its market capitalisation. */
export const STOCK_READS = ['instruments', 'prices', 'filings', 'corporate_actions'] as const

const NO_CONSENSUS = 'Always null, because consensus prices exist for crypto assets only.'

const SecurityTypeType = builder.enumType('SecurityType', {
  description: 'A kind of security that is neither a share nor a fund.',
  values: {
    preferred: { description: 'Preferred share.' },
    warrant: { description: 'Right to buy shares at a fixed price.' },
    unit: { description: 'Share and warrant, or share and right, that trade together.' },
    right: { description: 'Right to receive or to buy shares.' },
  },
})

export const InstrumentStockType = withComputed<Listing, 'Instrument'>(
  builder.prismaObject('Instrument', {
    variant: 'InstrumentStock',
    description: 'A listing of a stock, with its market capitalisation at the newest price.',
  }),
)

builder.objectFields(InstrumentStockType, (t) =>
  shownFields(t, {
    ticker: text('Upper-case ticker on its market.'),
    name: text('Name of the company, with the share class if it has several.'),
    isin: text.orNull('ISIN (ISO 6166). Null if unknown.'),
    figi: text.orNull("Composite FIGI of the listing's country. Null if unknown."),
    mic: text.orNull('Primary market (ISO 10383). Null if unknown, or if `exchange` can mean several.'),
    exchange: text.orNull(
      "Exchange as the SEC's list names it. NYSE there means several markets. Null outside the list.",
    ),
    security_type: shownAs(SecurityTypeType).orNull(
      'Null for a share, and if the kind is not known.',
      'securityType',
    ),
    issuer_slug: text.orNull(
      'Slug of the main share of the same issuer. Null for that share, and if it is not known.',
      'issuerSlug',
    ),
    currency: text('Trading currency (ISO 4217).'),
    sector_gics: text.orNull('GICS sector. Null if unknown.', 'sectorGics'),
    cik: text.orNull('SEC central index key, 10 digits. Null for companies that do not file with the SEC.'),
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
      description: `Number of exchanges behind the consensus price. ${NO_CONSENSUS}`,
      resolve: () => null,
    }),
    sort_value: t.float({
      nullable: true,
      description:
        'The figure by which a list is sorted. Null in other answers, and if the filings do not state it completely.',
      resolve: ({ sortFigure }) => sortFigure?.value ?? null,
    }),
    sort_period_end_date: t.field({
      type: 'Date',
      nullable: true,
      description: 'Last day of the period of `sort_value`. Null in other answers, and without a report.',
      resolve: ({ sortFigure }) => sortFigure?.periodEnd ?? null,
    }),
    last_updated: instant('When the source last confirmed the data of the listing.', 'lastUpdated'),
  }),
)

interface DiscoverResult extends Discovery {
  readonly _meta: Freshness
}

export const DiscoverResultType = builder.objectRef<DiscoverResult>('DiscoverResult').implement({
  description:
    'The instrument of a ticker, from the instrument master or otherwise from OpenFIGI. A field is null if neither states it.',
  fields: (t) =>
    shownFields(t, {
      ticker: text('The requested ticker in upper case.'),
      figi: text.orNull(
        "FIGI with a verified check digit. If the listing's country has a composite FIGI, this is it. Null if unknown.",
      ),
      name: text('Name of the instrument as its source writes it.'),
      asset_class: shownAs(AssetClassType).orNull(
        'crypto, stock, etf or commodity. Null for any other kind of instrument.',
        'assetClass',
      ),
      isin: text.orNull('ISIN (ISO 6166). Null if unknown. OpenFIGI never gives one.'),
      mic: text.orNull('Market (ISO 10383). Null if the instrument has no market or several.'),
      currency: text.orNull(
        'Trading currency (ISO 4217). Null if the market trades in several currencies and the source does not state which.',
      ),
      slug: text.orNull(`${ASSET_SLUG_TEXT} Null if the instrument is not in the instrument master.`),
      _meta: shownAs(FreshnessType)('Freshness of the instrument master, or of the answer from OpenFIGI.'),
    }),
})

queryEndpoint('discover', {
  isVolatile: true,
  summary: 'Find the instrument of a ticker',
  keywords: ['ISIN', 'FIGI', 'identifier', 'which company', 'ticker lookup', 'slug of a ticker'],
  description:
    'Identifiers, class and slug of the instrument with this ticker. The instrument master is searched first: if several ' +
    'listings have the ticker, primary listings come first, then crypto, stock, ETF and commodity. Other tickers are ' +
    `looked up at OpenFIGI within ${IDENTIFIER_BUDGET_MS / 1_000} seconds. ` +
    'A ticker that is unknown to both gets a 404. If OpenFIGI is unreachable, the response is a 503. ' +
    `A look-up at OpenFIGI is charged whatever it answers. An account can look up ${TICKERS_PER_HOUR} tickers per hour there. ` +
    `The free tier has ${DISCOVER_PER_DAY_FREE} calls per day. With \`on\` only the instrument master and the daily lists of the SEC are searched, ` +
    'for the one instrument that had the ticker on that day.',
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
    on: arg({
      type: 'Date',
      description: 'Day on which the instrument had the ticker. 422 if several had it.',
      ...hints({ defaultText: 'today' }),
    }),
  }),
  check: (args, context) => parseDiscover(args, context),
  resolve: async ({ ticker, on }, context) => {
    const discovery = await (on === null ? discover(ticker, context) : discoverOn(ticker, on, context))
    return { ...discovery, _meta: freshnessOfDiscovery(discovery, context) }
  },
})

/** An answer of the identifier service belongs to no dataset, so its age counts from the answer. */
function freshnessOfDiscovery({ answer, masterSource }: Discovery, context: RequestContext): Freshness {
  const state = answer
    ? { source: answer.source, observedAt: answer.answeredAt }
    : stateOfParts(
        datasetStateOf(context, 'instruments'),
        new Set(masterSource === null ? [] : [masterSource]),
      )
  return freshness(context, state, 'identifier')
}
