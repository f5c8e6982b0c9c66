import { defineSharedLoader } from '../../platform/request/define-loader.js'
import { readAssetsBySlug } from './store.js'

export const assetBySlug = defineSharedLoader({
  load: (slugs: readonly string[], context) => readAssetsBySlug(context.database, slugs),
  likenessOf: () => '',
})
