import { builder } from '../../schema-kit/builder.js'
import { edge } from '../../schema-kit/fields.js'
import { storedDay } from '../../schema-kit/model-rows.js'
import { ASSET_SLUG_TEXT } from '../../schema-kit/shared-arguments.js'
import { integer, number, shownAs, shownFields, text, texts } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { AssetCardType, CARD_READS } from '../asset-cards/card-schema.js'
import { getCardBySlug } from '../asset-cards/service.js'
import { AssetClassType } from '../assets/schema.js'
import type { Listing } from '../instruments/model.js'
import { getPrimaryListing } from '../instruments/service.js'
import { FORMER_REPORT_DATE } from './fund-schema.js'
import { heldAsset } from './loaders.js'

const ListedInstrumentType = withComputed<Listing, 'Instrument'>(
  builder.prismaObject('Instrument', {
    variant: 'ListedInstrument',
    description: 'An instrument of the instrument master, by its primary listing.',
    subGraphs: ['Graph'],
  }),
)

builder.objectFields(ListedInstrumentType, (t) =>
  shownFields(t, {
    ticker: text('Upper-case ticker on its market.'),
    name: text('Name of the asset.'),
    asset_class: shownAs(AssetClassType)('crypto, stock, etf or commodity.', 'assetClass'),
    isin: text.orNull('ISIN (ISO 6166). Null if unknown.'),
    figi: text.orNull("Composite FIGI of the listing's country. Null if unknown."),
    mic: text.orNull(
      'Primary market (ISO 10383). Null for instruments without a market, e.g. crypto assets.',
    ),
    currency: text('Trading currency (ISO 4217).'),
    slug: text(ASSET_SLUG_TEXT),
    asset: t.field({
      type: AssetCardType,
      nullable: true,
      description: 'The card of the asset. Charged per 20 parents.',
      ...edge('caller', CARD_READS, ({ slug }: Listing, _args: object, context) =>
        getCardBySlug(slug, context),
      ),
    }),
  }),
)

export const EtfHoldingType = builder.prismaObject('EtfHolding', {
  select: {
    reportId: true,
    position: true,
    name: true,
    ticker: true,
    mic: true,
    isin: true,
    figi: true,
    lei: true,
    weight: true,
    shares: true,
    marketValueUsd: true,
    assetCategory: true,
    country: true,
    unverified: true,
    report: { select: { asOf: true } },
  },
  description: 'A holding of an ETF on a date. Identifiers are verified by their check digits.',
  fields: (t) =>
    shownFields(t, {
      ticker: text.orNull(
        'Ticker as the source writes it. Null if the source has none, as in N-PORT filings.',
      ),
      name: text('Name of the holding as the source writes it.'),
      isin: text.orNull('ISIN (ISO 6166). Null if the source has none or one that fails its check.'),
      figi: text.orNull('FIGI. Null if the source has none.'),
      lei: text.orNull(
        'Legal entity identifier of the issuer (ISO 17442). Null if the source has none or one that fails its check.',
      ),
      weight: number(
        'Share of the net assets of the fund, a fraction: 0.05 is 5 %. Negative for a short position.',
      ),
      shares: number.orNull(
        'Number of shares. Null for holdings that are not counted in shares, e.g. bonds, futures and cash.',
      ),
      market_value_usd: number.orNull(
        'Value of the holding, USD. Null if its value in USD is unknown.',
        'marketValueUsd',
      ),
      asset_category: text.orNull(
        'equity, preferred, fund, debt, asset_backed, loan, short_term, repurchase, cash, derivative, structured, commodity, real_estate or other. Null if the source does not state it.',
        'assetCategory',
      ),
      country: text.orNull(
        'Country of the investment (ISO 3166-1, two letters). Null if the source names none.',
      ),
      report_date: t.field({
        type: 'Date',
        description: 'Date of the holding.',
        resolve: ({ report }) => storedDay(report.asOf),
      }),
      as_of: t.field({ ...FORMER_REPORT_DATE, resolve: ({ report }) => storedDay(report.asOf) }),
      position: integer.inGraph('Position in the report, from 1. The heaviest holding has position 1.'),
      mic: text.orNull.inGraph('Market of the ticker (ISO 10383). Null if the source does not state it.'),
      unverified_identifiers: texts.inGraph(
        'Identifiers of the source that fail their check, each with its kind. Do not use them to identify the holding.',
        'unverified',
      ),
      instrument: t.field({
        type: ListedInstrumentType,
        nullable: true,
        subGraphs: ['Graph'],
        // A caller with a clock must not see it: it is matched by the identifiers of today.
        extensions: { reads: ['instruments'] },
        description:
          'The matching instrument of the instrument master. The match is by ISIN, otherwise by FIGI, otherwise (shares only) by LEI, otherwise by ticker and market. An LEI or ticker matches only if it belongs to a single asset. Null without a match.',
        resolve: async ({ reportId, position }, _args, context) => {
          const assetId = await heldAsset(context).load({ reportId: Number(reportId), position })
          return assetId === null ? null : getPrimaryListing(assetId, context)
        },
      }),
    }),
})
