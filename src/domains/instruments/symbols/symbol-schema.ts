import { freshnessKindOfTier } from '../../../core/freshness.js'
import { stateOfParts } from '../../../platform/database/versions/data-version.js'
import { builder } from '../../../schema-kit/builder.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT, asOfArguments, MIC_HINTS } from '../../../schema-kit/shared-arguments.js'
import { day, flag, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { AssetClassType } from '../../assets/schema.js'
import { MAX_PERIODS } from './symbol-periods.js'
import { type ComparedPeriod, listSymbolPeriods, parseSymbolQuery } from './symbol-service.js'

const NOT_IN_MASTER = 'Null for a security that is not in the instrument master.'

const PeriodType = builder.objectRef<ComparedPeriod>('SymbolPeriod').implement({
  description: 'A security and the days on which it had a ticker.',
  fields: (t) =>
    shownFields(t, {
      ticker: text('The requested ticker in upper case.'),
      figi: text.orNull('FIGI of the security. It does not change when the ticker does. Null if unknown.'),
      isin: text.orNull('ISIN (ISO 6166). Null if unknown.'),
      name: text('Current name of the security; of its issuer if the period comes from a list.'),
      cik: text.orNull('SEC central index key of the issuer, 10 digits. Null if unknown.'),
      asset_class: shownAs(AssetClassType).orNull(
        `crypto, stock, etf or commodity. ${NOT_IN_MASTER}`,
        'assetClass',
      ),
      slug: text.orNull(`${ASSET_SLUG_TEXT} ${NOT_IN_MASTER}`),
      mic: text.orNull('Market (ISO 10383). Null without a market, or if `exchange` can mean several.'),
      exchange: text.orNull(
        "Market as the SEC's list names it: NYSE also means NYSE American and NYSE Arca. Null for a security of the instrument master, or if the list names none.",
      ),
      valid_from: day.orNull('First day with the ticker. Null if unknown.', 'validFrom'),
      valid_to: day.orNull(
        'First day on which the security no longer had the ticker. Null while it has it.',
        'validTo',
      ),
      successor: text.orNull('Ticker of the security from valid_to on. Null if none is known.'),
      is_observed: flag(
        'True if a day comes from the daily lists of the SEC or the weekly answers of OpenFIGI: `valid_from` is the day of the first one with the ticker, `valid_to` of the first one without it. The change may be a few days older.',
        'isObserved',
      ),
      is_contradicted: flag(
        'True if another security has the ticker on the same market on a common day. One of the two is then wrong; the gateway does not choose.',
        'isContradicted',
      ),
      source: text('Provider of the period; `seed` is synthetic.'),
    }),
})

queryEndpoint('symbol', {
  summary: 'Securities that had a ticker',
  keywords: ['former ticker', 'ticker change', 'renamed', 'delisted', 'who had the ticker'],
  description:
    'Every security of the instrument master, of the daily lists of the SEC and of the weekly answers of OpenFIGI that has or had the ticker, the latest first, with the days of each. With `on` only the ones of that day. Tickers are used again after a renaming or delisting: use the FIGI to follow one security. `data_quality` is partial if two securities contradict each other.',
  access: 'instruments:read',
  clock: { refusedBecause: 'securities have the names and identifiers of today' },
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/symbols/{ticker}',
    tag: 'discover',
    table: { rows: 'data', total: 'meta.total' },
  },
  reads: ['instruments', 'corporate_actions'],
  errors: ['not_found', 'service_unavailable'],
  type: defineListEnvelope(PeriodType),
  args: (arg) => ({
    ticker: arg.string({
      required: true,
      description: 'Ticker, upper or lower case.',
      ...hints({ example: 'FB', maxLength: 20 }),
    }),
    on: arg({
      type: 'Date',
      description: 'Only securities that had the ticker on this day.',
      ...hints({ example: '2022-06-08' }),
    }),
    mic: arg.string({
      description: 'Only securities that may be listed on this market (ISO 10383).',
      ...MIC_HINTS,
    }),
    ...asOfArguments(arg),
  }),
  check: (args, context) => parseSymbolQuery(args, context),
  rows: () => MAX_PERIODS,
  resolve: async (query, context) => {
    const periods = await listSymbolPeriods(query, context)
    const state = stateOfParts(
      datasetStateOf(context, 'instruments'),
      new Set(periods.map(({ source }) => source)),
    )
    return envelope(context, state, freshnessKindOfTier(null), periods, {
      total: periods.length,
      has_next: false,
      data_quality: periods.some(({ isContradicted }) => isContradicted) ? 'partial' : 'full',
    })
  },
})
