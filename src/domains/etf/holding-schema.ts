import type { IsoDate } from '../../core/time.js'
import { builder } from '../../schema-kit/builder.js'
import { edge } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT } from '../../schema-kit/shared-arguments.js'
import { AssetCardType, CARD_READS } from '../asset-cards/card-schema.js'
import { getCardBySlug } from '../asset-cards/service.js'
import { AssetClassType } from '../assets/schema.js'
import type { Listing } from '../instruments/model.js'
import { getPrimaryListing } from '../instruments/service.js'
import { jsonNumberOf, jsonNumberOrNull } from './fund-schema.js'
import type { StoredHolding } from './holding-store.js'
import { heldAsset } from './loaders.js'

/** A holding with the day of its report. */
export interface DatedHolding extends StoredHolding {
  readonly asOf: IsoDate
}

const ListedInstrumentType = builder.objectRef<Listing>('ListedInstrument').implement({
  description: 'An instrument of the masters by its primary listing.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'Upper-case ticker on its market.' }),
    name: t.exposeString('name', { description: 'Name of the asset.' }),
    asset_class: t.expose('assetClass', {
      type: AssetClassType,
      description: 'crypto, stock, etf or commodity.',
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
      description: 'Primary market (ISO 10383). Null for what has none.',
    }),
    currency: t.exposeString('currency', { description: 'Trading currency (ISO 4217).' }),
    slug: t.exposeString('slug', { description: ASSET_SLUG_TEXT }),
    asset: t.field({
      type: AssetCardType,
      nullable: true,
      description: 'The card of the asset. Charged per 20 parents.',
      ...edge('caller', CARD_READS, ({ slug }: Listing, _args: object, context) =>
        getCardBySlug(slug, context),
      ),
    }),
  }),
})

export const EtfHoldingType = builder.objectRef<DatedHolding>('EtfHolding').implement({
  description: 'A holding of an ETF as of a day. Identifiers are verified by their check digits.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', {
      nullable: true,
      description: 'Ticker as the source writes it. Null where the source has none, as filings of N-PORT.',
    }),
    name: t.exposeString('name', { description: 'Name of the holding as the source writes it.' }),
    isin: t.exposeString('isin', {
      nullable: true,
      description: 'ISIN (ISO 6166). Null where the source has none, or one that fails its check.',
    }),
    figi: t.exposeString('figi', { nullable: true, description: 'FIGI. Null where the source has none.' }),
    lei: t.exposeString('lei', {
      nullable: true,
      description:
        'Legal entity identifier of the issuer (ISO 17442). Null where the source has none, or one that fails its check.',
    }),
    weight: t.float({
      description:
        'Share of the net assets of the fund, a fraction: 0.05 is 5 %. Negative for a short position.',
      resolve: ({ weight }) => jsonNumberOf(weight),
    }),
    shares: t.float({
      nullable: true,
      description: 'Shares held. Null for what is not counted in shares, such as bonds, futures and cash.',
      resolve: ({ shares }) => jsonNumberOrNull(shares),
    }),
    market_value_usd: t.float({
      nullable: true,
      description: 'Value of the holding, USD. Null where it is not known in USD.',
      resolve: ({ marketValueUsd }) => jsonNumberOrNull(marketValueUsd),
    }),
    asset_category: t.exposeString('assetCategory', {
      nullable: true,
      description:
        'equity, preferred, fund, debt, asset_backed, loan, short_term, repurchase, cash, derivative, structured, commodity, real_estate or other. Null where the source does not say.',
    }),
    country: t.exposeString('country', {
      nullable: true,
      description: 'Country of the investment (ISO 3166-1, two letters). Null where the source names none.',
    }),
    as_of: t.expose('asOf', { type: 'Date', description: 'Day that the holding is of.' }),
    position: t.exposeInt('position', {
      subGraphs: ['Graph'],
      description: 'Place in the report, from 1: the heaviest first.',
    }),
    mic: t.exposeString('mic', {
      nullable: true,
      subGraphs: ['Graph'],
      description: 'Market of the ticker (ISO 10383). Null where the source does not say.',
    }),
    unverified_identifiers: t.exposeStringList('unverified', {
      subGraphs: ['Graph'],
      description:
        'Texts that the source gives as identifiers and that fail their check, each with its kind. They identify nothing.',
    }),
    instrument: t.field({
      type: ListedInstrumentType,
      nullable: true,
      subGraphs: ['Graph'],
      description:
        'The instrument of the masters that this is: by ISIN, else by FIGI, else (shares) by LEI, else by ticker and market, the last two where they lead to one asset only. Null for none.',
      resolve: async ({ reportId, position }, _args, context) => {
        const assetId = await heldAsset(context).load({ reportId, position })
        return assetId === null ? null : getPrimaryListing(assetId, context)
      },
    }),
  }),
})
