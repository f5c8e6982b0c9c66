import { builder } from '../../schema-kit/builder.js'
import { type ArgBuilder, hints } from '../../schema-kit/fields.js'
import { MIC_HINTS, slugArgument } from '../../schema-kit/shared-arguments.js'

const ListingByType = builder.inputType('ListingBy', {
  description: 'A listing: a ticker on a market.',
  fields: (t) => ({
    ticker: t.string({
      required: true,
      description: 'Ticker on the market, in any case.',
      ...hints({ example: 'AAPL', maxLength: 20 }),
    }),
    mic: t.string({
      required: true,
      description: 'Market identifier code (ISO 10383).',
      ...MIC_HINTS,
    }),
  }),
})

const AssetByType = builder.inputType('AssetBy', {
  description: 'Names one asset by exactly one of its identifiers.',
  isOneOf: true,
  fields: (t) => ({
    slug: t.string({ description: 'Slug, e.g. `bitcoin`.', ...hints({ example: 'bitcoin', maxLength: 64 }) }),
    asset_id: t.int({ description: 'Integer key, as in the star schema.', ...hints({ example: 1 }) }),
    figi: t.string({
      description: 'OpenFIGI identifier.',
      ...hints({ example: 'BBG000B9XRY4', maxLength: 12 }),
    }),
    isin: t.string({
      description: 'International securities identification number (ISO 6166).',
      ...hints({ example: 'US0378331005', maxLength: 12 }),
    }),
    listing: t.field({ type: ListingByType, description: 'Ticker and market.' }),
  }),
})

/** An asset by another identifier than the slug. REST has only the slug, in the path. */
export const byArgument = (arg: ArgBuilder, description: string) =>
  arg({ type: AssetByType, subGraphs: ['Graph'], description })

/** The asset of a call: its slug, or in GraphQL another identifier. `parseAssetName` parses them. */
export const assetArguments = (arg: ArgBuilder) => ({
  id: slugArgument(arg),
  by: byArgument(arg, 'Another identifier of the asset. Give exactly one of `id` and `by`.'),
})
