import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { edge } from '../../schema-kit/fields.js'
import { AssetMatchType } from '../assets/search/search-schema.js'
import type { Discovery } from '../instruments/discovery/discovery-service.js'
import { DiscoverResultType } from '../instruments/schema.js'
import { ConsensusInputsType } from '../market/inputs-schema.js'
import { OhlcvResponseType } from '../market/schema.js'
import type { ConsensusInputs, Ohlcv } from '../market/service.js'
import { AssetCardType, CARD_READS, cardGrains } from './card-schema.js'
import { getCardBySlug, getCardOfAsset } from './service.js'

/** The card of the asset that the parent is about. */
const CARD_OF_ASSET = { check: (args: object) => args, grains: cardGrains }

/** Adds the edge from types of the lower domains to the card of their asset. */
builder.objectFields(AssetMatchType, (t) => ({
  asset: t.field({
    type: AssetCardType,
    description: 'The card of the asset. Charged per 20 parents.',
    ...edge('caller', CARD_READS, (asset: Asset, _args: object, context) => getCardOfAsset(asset, context)),
  }),
}))

builder.objectFields(OhlcvResponseType, (t) => ({
  asset: t.field({
    type: AssetCardType,
    description: 'The asset. Charged per 20 parents.',
    ...edge(
      'caller',
      CARD_READS,
      ({ asset }: Ohlcv, _args: object, context) => getCardOfAsset(asset, context),
      CARD_OF_ASSET,
    ),
  }),
}))

builder.objectFields(ConsensusInputsType, (t) => ({
  asset: t.field({
    type: AssetCardType,
    description: 'The asset. Charged per 20 parents.',
    ...edge(
      'caller',
      CARD_READS,
      ({ asset }: ConsensusInputs, _args: object, context) => getCardOfAsset(asset, context),
      CARD_OF_ASSET,
    ),
  }),
}))

builder.objectFields(DiscoverResultType, (t) => ({
  asset: t.field({
    type: AssetCardType,
    nullable: true,
    description: 'The asset. Null if the instrument is not in the instrument master. Charged per 20 parents.',
    ...edge('caller', CARD_READS, ({ slug }: Discovery, _args: object, context) =>
      slug === null ? null : getCardBySlug(slug, context),
    ),
  }),
}))
