import { defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import { loadSlugsByIdentifier } from './by-store.js'
import { loadIssuerLeis } from './issuer-store.js'
import { type AssetIdentifier, identifierText } from './model.js'
import {
  loadNearestAssets,
  loadNearestTickers,
  type WrongTicker,
  wrongTickerText,
} from './search/nearest-store.js'
import { loadAssetsBySlug } from './store.js'

export const assetBySlug = defineSharedLoader({
  load: (slugs: readonly string[], context) => loadAssetsBySlug(context.database, slugs),
  batchKey: () => '',
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

/** What wrong slugs probably mean. Errors are free of charge, so all wrong slugs of a moment share one read. */
export const nearestAsset = defineSharedLoader({
  load: (texts: readonly string[], context) => loadNearestAssets(context.database.prisma, texts),
  batchKey: () => '',
})

/** What wrong tickers probably mean. All wrong tickers of a moment share one read. */
export const nearestTicker = defineSharedLoader({
  load: (wrong: readonly WrongTicker[], context) => loadNearestTickers(context.database.prisma, wrong),
  keyText: wrongTickerText,
  batchKey: () => '',
})
