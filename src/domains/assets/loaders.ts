import { defineSharedLoader } from '../../platform/request/define-loader.js'
import { loadSlugsByIdentifier } from './by-store.js'
import { type AssetIdentifier, identifierText } from './model.js'
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
