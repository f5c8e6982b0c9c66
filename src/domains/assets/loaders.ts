import { defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import { loadSlugsByIdentifier } from './by-store.js'
import { loadIssuerLeis } from './issuer-store.js'
import { asKnown, identityKey } from './known-identity-service.js'
import { type AssetIdentifier, identifierText } from './model.js'
import {
  loadNearestAssets,
  loadNearestTickers,
  type NearestAsset,
  type WrongTicker,
  wrongTickerText,
} from './search/nearest-store.js'
import { loadAssetsBySlug } from './store.js'

export const assetBySlug = defineSharedLoader({
  load: async (slugs: readonly string[], context) => {
    const assets = await loadAssetsBySlug(context.database, slugs)
    const known = await asKnown([...assets.values()], context)
    return new Map(known.map((asset) => [asset.slug, asset]))
  },
  batchKey: (_slug, context) => identityKey(context),
})

/** The slugs of the assets that have an identifier. All identifiers that are requested at once share one read. */
export const slugsByIdentifier = defineSharedLoader({
  load: (identifiers: readonly AssetIdentifier[], context) =>
    loadSlugsByIdentifier(context.database.prisma, identifiers),
  keyText: identifierText,
  batchKey: () => '',
})

/** The LEI of the issuer of each asset, by the asset's key. */
export const issuerLei = defineSharedLoader({
  load: (assetIds: readonly number[], context) => loadIssuerLeis(context.database.prisma, assetIds),
  batchKey: () => '',
})

/**
 * What wrong slugs probably mean. Errors are free of charge, so all wrong slugs of a moment share one read. A caller with a clock
 * gets no suggestion, which might be of a later asset.
 */
export const nearestAsset = defineSharedLoader({
  load: async (texts: readonly string[], context) =>
    context.clock === undefined
      ? loadNearestAssets(context.database.prisma, texts)
      : new Map<string, NearestAsset>(),
  batchKey: (_text, context) => identityKey(context),
})

/** What wrong tickers probably mean. All wrong tickers of a moment share one read. A caller with a clock gets no suggestion. */
export const nearestTicker = defineSharedLoader({
  load: async (wrong: readonly WrongTicker[], context) =>
    context.clock === undefined
      ? loadNearestTickers(context.database.prisma, wrong)
      : new Map<string, string>(),
  keyText: wrongTickerText,
  batchKey: (_wrong, context) => identityKey(context),
})
