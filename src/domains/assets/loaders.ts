import { defineSharedLoader } from '../../platform/request/define-loader.js'
import { loadAssetsBySlug } from './store.js'

export const assetBySlug = defineSharedLoader({
  load: (slugs: readonly string[], context) => loadAssetsBySlug(context.database, slugs),
  batchKey: () => '',
})
