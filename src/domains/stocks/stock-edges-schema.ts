import { type KnownAsOf, parseAsOf } from '../../core/day-range.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { edge } from '../../schema-kit/fields.js'
import { asOfArguments, offsetPageArguments } from '../../schema-kit/shared-arguments.js'
import { day, instant, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType, CARD_READS } from '../asset-cards/card-schema.js'
import { getCardBySlug } from '../asset-cards/service.js'
import type { Listing } from '../instruments/model.js'
import { InstrumentStockType } from '../instruments/schema.js'
import { getIdentifiers } from '../instruments/service.js'
import { CorporateActionType, DividendType, namedEvents } from './event-schema.js'
import type { EventRange } from './event-store.js'
import { getActions, getDividends, parseRange } from './service.js'

builder.objectFields(InstrumentStockType, (t) => ({
  asset: t.field({
    type: AssetCardType,
    nullable: true,
    description: 'The asset of the listing. Charged per 20 parents.',
    ...edge('caller', CARD_READS, ({ slug }: Listing, _args: object, context) =>
      getCardBySlug(slug, context),
    ),
  }),
  corporate_actions: t.field({
    type: [CorporateActionType],
    nullable: true,
    description:
      'Corporate actions, newest first, as in the root field. Needs instruments:read. Charged per 20 parents.',
    args: { ...offsetPageArguments(t.arg), ...asOfArguments(t.arg) },
    ...edge(
      'instruments:read',
      ['instruments', 'corporate_actions'],
      async (stock: Listing, range: EventRange, context) =>
        namedEvents(stock.ticker, await getActions(stock, range, context)),
      { check: parseRange },
    ),
  }),
  dividends: t.field({
    type: [DividendType],
    nullable: true,
    description:
      'Dividends, newest first, as in the root field. Needs instruments:read. Charged per 20 parents.',
    args: { ...offsetPageArguments(t.arg), ...asOfArguments(t.arg) },
    ...edge(
      'instruments:read',
      ['dividends'],
      async (stock: Listing, range: EventRange, context) =>
        namedEvents(stock.ticker, await getDividends(stock, range, context)),
      { check: parseRange },
    ),
  }),
}))

const SchemeType = describedEnum('IdentifierScheme', 'Kind of an identifier.', {
  ticker: 'Ticker on the market of the listing.',
  isin: 'International securities identification number (ISO 6166).',
  figi: 'Financial instrument global identifier.',
  cik: 'Central index key of the SEC, 10 digits.',
  lei: 'Legal entity identifier of the issuer (ISO 17442).',
  name: 'Name of the issuer at the SEC.',
})

const IdentifierType = builder.prismaObject('InstrumentIdentifier', {
  description: 'An identifier of an instrument and its period of validity.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      scheme: shownAs(SchemeType)('Kind of the identifier.'),
      value: text('The identifier. Its check digits, if any, are verified.'),
      valid_from: day.orNull('First day of validity. Null if unknown.', 'validFrom'),
      valid_to: day.orNull(
        'First day on which the identifier was no longer valid. Null while it is valid.',
        'validTo',
      ),
      known_from: instant('Time from which this service knew the identifier.', 'knownFrom'),
      source: text('Provider of the data. `seed` marks synthetic data.'),
    }),
})

builder.objectField(InstrumentStockType, 'identifiers', (t) =>
  t.field({
    type: [IdentifierType],
    nullable: true,
    description:
      'Current and former identifiers, sorted by scheme, the current ones first. Needs instruments:read. Charged per 20 parents.',
    args: { ...asOfArguments(t.arg) },
    ...edge(
      'instruments:read',
      ['instruments', 'corporate_actions'],
      (stock: Listing, { asOf }: KnownAsOf, context) => getIdentifiers(stock, asOf, context),
      { check: parseAsOf, rows: () => IDENTIFIERS_PER_STOCK },
    ),
  }),
)

/** Assumed rows per stock: six schemes and four former identifiers. */
const IDENTIFIERS_PER_STOCK = 10
