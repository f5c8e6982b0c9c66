import './edges-schema.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { stateOfParts, type UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import {
  datasetStateOf,
  defineEnvelope,
  type Envelope,
  envelope,
  type Freshness,
  freshness,
} from '../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { storedDay } from '../../schema-kit/model-rows.js'
import { basisArgument, releaseArgument, reportDateArguments } from '../../schema-kit/shared-arguments.js'
import { day, instant, integer, shownFields, text } from '../../schema-kit/shown-fields.js'
import { listingArguments } from '../instruments/listing-arguments-schema.js'
import { ETF_READS, EtfHolderType, FUND_READS } from './edges-schema.js'
import { FORMER_REPORT_DATE, InstrumentEtfListType, InstrumentEtfType } from './fund-schema.js'
import type { FundAsOf, StoredFund } from './fund-store.js'
import { EtfHoldingType } from './holding-schema.js'
import { EtfResultType, TOP_HOLDINGS } from './result-schema.js'
import {
  countLeftOut,
  getFund,
  getHoldings,
  listFunds,
  listHoldersOfStock,
  listReports,
  parseFundKey,
  parseFundKeyArgument,
  parseHeldStock,
  parseReportArguments,
} from './service.js'
import { isStale, NAV_METHOD, stateOfFunds } from './terms.js'

const SOURCES =
  'Holdings come from N-PORT filings at the SEC, quarterly and about 60 days later, and from files of issuers and of the operator. The newest report counts. A report whose weights do not sum to about 1 is rejected; the one before it then stays and is marked as stale.'

const tickerArgument = (arg: ArgBuilder) =>
  arg.string({
    required: true,
    description: 'Ticker of the ETF, upper or lower case.',
    ...hints({ example: 'IVV', maxLength: 20 }),
  })

const reportArguments = (arg: ArgBuilder) => ({
  ...reportDateArguments(
    arg,
    'Uses the report of this date, or the newest one before it. Not in the future.',
    'the newest report',
  ),
  known_at: arg({
    type: 'DateTime',
    description:
      'Uses only reports that were known at this instant, without later reports and amendments. Not in the future.',
    ...hints({ defaultText: 'now', example: '2026-11-20T12:00:00Z' }),
  }),
  basis: basisArgument(arg),
  release: releaseArgument(arg),
})

/** The dataset state of a response about funds. */
function buildState(funds: readonly StoredFund[], context: RequestContext): UsedState {
  const masters = stateOfParts(
    datasetStateOf(context, 'instruments'),
    new Set(funds.map(({ source }) => source)),
  )
  return stateOfFunds(funds, masters, context)
}

/** Freshness of a fund. It is at best stale while a newer report is quarantined. */
async function freshnessOfFund(
  fund: StoredFund,
  state: UsedState,
  asOf: FundAsOf,
  context: RequestContext,
): Promise<Freshness> {
  const leftOut = await countLeftOut([fund], asOf, context)
  const shown = { ...freshness(context, state, 'etf'), undated_rows: leftOut }
  return isStale(fund) && shown.freshness_status === 'fresh' ? { ...shown, freshness_status: 'stale' } : shown
}

/** An answer about several funds, or all (null), which says how many reports a published question leaves out. */
async function fundsEnvelope<Data>(
  shown: Envelope<Data>,
  funds: readonly StoredFund[] | null,
  asOf: FundAsOf,
  context: RequestContext,
): Promise<Envelope<Data>> {
  const leftOut = await countLeftOut(funds, asOf, context)
  return { ...shown, _meta: { ...shown._meta, undated_rows: leftOut } }
}

function buildNavMeta(funds: readonly StoredFund[], { changedAt }: UsedState) {
  return funds.some(({ nav }) => nav?.isComputed === true) ? derivedMeta(NAV_METHOD, changedAt) : {}
}

listEndpoint('etfs', {
  summary: 'List ETFs',
  keywords: ['list of funds', 'index funds', 'exchange-traded funds'],
  description: `ETFs of the instrument master, in the order of asset_id, each with its newest figures. ${SOURCES}`,
  access: 'etf:read',
  path: '/v1/etf',
  tag: 'etf',
  reads: FUND_READS,
  clock: { refusedBecause: 'the list has the ETFs of today' },
  item: InstrumentEtfListType,
  envelopeName: 'InstrumentEtfListResponse',
  filters: reportArguments,
  check: (args, problems, { now }) => parseReportArguments(problems, args, now),
  resolve: async (asOf, page, context) => {
    const { funds, total } = await listFunds(asOf, page, context)
    const state = buildState(funds, context)
    const meta = { data_quality: qualityOf(funds), ...buildNavMeta(funds, state) }
    const shown = envelope(context, state, 'etf', funds, meta)
    return { envelope: await fundsEnvelope(shown, funds, asOf, context), total }
  },
})

function qualityOf(funds: readonly StoredFund[]): 'full' | 'partial' | 'empty' {
  if (funds.length === 0) return 'empty'
  return funds.every(({ report, nav }) => report !== null && nav !== null) ? 'full' : 'partial'
}

queryEndpoint('etf', {
  summary: 'An ETF with its heaviest holdings',
  keywords: ['fund', 'ETF price', 'net asset value', 'NAV', 'top holdings'],
  description: `Net asset value and the ${TOP_HOLDINGS} heaviest holdings of an ETF. ${SOURCES}`,
  access: 'etf:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/etf/{ticker}', tag: 'etf' },
  errors: ['not_found'],
  reads: FUND_READS,
  type: EtfResultType,
  args: (arg) => ({ ticker: tickerArgument(arg), ...reportArguments(arg) }),
  check: (args, context) => parseFundKey(args, context),
  resolve: async (key, context) => {
    const fund = await getFund(key, context)
    const top = await getHoldings(fund, { limit: TOP_HOLDINGS, offset: 0 }, context)
    return { fund, top, _meta: await freshnessOfFund(fund, buildState([fund], context), key, context) }
  },
})

const InstrumentEtfResponse = defineEnvelope(InstrumentEtfType)

queryEndpoint('etf_instrument', {
  summary: 'An ETF as an instrument',
  keywords: ['expense ratio', 'fund fee', 'issuer of a fund', 'TER'],
  description: `Identifiers, issuer and figures of an ETF. ${SOURCES}`,
  access: 'etf:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/etf/{ticker}/instrument', tag: 'etf' },
  errors: ['not_found'],
  reads: FUND_READS,
  type: InstrumentEtfResponse,
  args: (arg) => ({ ticker: tickerArgument(arg), ...reportArguments(arg) }),
  check: (args, context) => parseFundKey(args, context),
  resolve: async (key, context) => {
    const fund = await getFund(key, context)
    const state = buildState([fund], context)
    const meta = { data_quality: qualityOf([fund]), ...buildNavMeta([fund], state) }
    const _meta = await freshnessOfFund(fund, state, key, context)
    return { ...envelope(context, state, 'etf', fund, meta), _meta }
  },
})

listEndpoint('etf_holdings', {
  summary: 'Holdings of an ETF',
  keywords: [
    'constituents',
    'biggest positions',
    'inside a fund',
    'contents of a fund',
    'weights',
    'portfolio',
  ],
  description: `Holdings of an ETF on a date, the heaviest first. ${SOURCES}`,
  access: 'etf:read',
  errors: ['not_found'],
  path: '/v1/etf/{ticker}/holdings',
  tag: 'etf',
  reads: ETF_READS,
  item: EtfHoldingType,
  filters: (arg) => ({ ticker: tickerArgument(arg), ...reportArguments(arg) }),
  check: (args, problems, context) => parseFundKeyArgument(problems, args, context),
  resolve: async (key, page, context) => {
    const fund = await getFund(key, context)
    const holdings = await getHoldings(fund, page, context)
    const state = buildState([fund], context)
    const shown = envelope(context, state, 'etf', holdings)
    return {
      envelope: { ...shown, _meta: await freshnessOfFund(fund, state, key, context) },
      total: fund.report?.holdingsCount ?? 0,
    }
  },
})

listEndpoint('held_by', {
  summary: 'ETFs that hold a stock',
  keywords: [
    'who holds',
    'holders',
    'held by',
    'funds with a stock',
    'which ETFs hold',
    'owners of a stock',
    'exposure to a stock',
  ],
  description: `ETFs that hold a stock according to their newest reports, the heaviest weight first. A holding is matched by its ISIN, otherwise by its FIGI, its LEI or its ticker and market. ${SOURCES} A ticker that is listed on several markets needs \`mic\`. Empty if no ETF holds the stock.`,
  clock: { refusedBecause: 'holdings are matched by the identifiers of today' },
  access: 'etf:read',
  errors: ['not_found'],
  path: '/v1/stocks/{ticker}/held-by',
  tag: 'stocks',
  reads: FUND_READS,
  item: EtfHolderType,
  filters: (arg) => {
    const { as_of: _former, ...reports } = reportArguments(arg)
    return { ...listingArguments(arg), ...reports }
  },
  check: (args, problems, context) => parseHeldStock(problems, args, context),
  resolve: async (held, page, context) => {
    const { holders, total } = await listHoldersOfStock(held, page, context)
    const state = buildState(
      holders.map(({ fund }) => fund),
      context,
    )
    const shown = envelope(context, state, 'etf', holders)
    return { envelope: await fundsEnvelope(shown, null, held.asOf, context), total }
  },
})

const ReportSummaryType = builder.prismaObject('EtfReport', {
  variant: 'EtfReportSummary',
  select: { asOf: true, publishedAt: true, accession: true, source: true, holdingsCount: true },
  description: 'A report of the holdings of an ETF, without the holdings.',
  fields: (t) =>
    shownFields(t, {
      report_date: day('Date of the holdings: `report_date` of the other ETF queries.', 'asOf'),
      as_of: t.field({ ...FORMER_REPORT_DATE, resolve: ({ asOf }) => storedDay(asOf) }),
      published_at: instant.orNull(
        'Time of publication or filing. Null if the source does not state it.',
        'publishedAt',
      ),
      holdings_count: integer('Number of holdings.', 'holdingsCount'),
      accession: text.orNull('Accession number of the SEC filing. Null for other sources.'),
      source: text('Provider of the report, e.g. sec or ishares. seed marks a synthetic report.'),
    }),
})

listEndpoint('etf_reports', {
  summary: 'Reports of an ETF',
  keywords: ['report dates of a fund', 'filings of a fund', 'past holdings'],
  description:
    'The dates for which a report of the holdings of an ETF is stored, the newest first. Each date is a `report_date` of the holdings, so that two reports can be compared. Rejected reports are not listed. Empty without a report.',
  access: 'etf:read',
  errors: ['not_found'],
  path: '/v1/etf/{ticker}/reports',
  tag: 'etf',
  reads: ETF_READS,
  item: ReportSummaryType,
  filters: (arg) => ({
    ticker: tickerArgument(arg),
    ...reportDateArguments(
      arg,
      'Lists the reports of this date and before it. Not in the future.',
      'all reports',
    ),
    known_at: reportArguments(arg).known_at,
    basis: basisArgument(arg),
    release: releaseArgument(arg),
  }),
  check: (args, problems, context) => parseFundKeyArgument(problems, args, context),
  resolve: async (key, page, context) => {
    const fund = await getFund(key, context)
    const { reports, total } = await listReports(fund, page, key, context)
    const shown = envelope(context, buildState([fund], context), 'etf', reports)
    return { envelope: await fundsEnvelope(shown, [fund], key, context), total }
  },
})
