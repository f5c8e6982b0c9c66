import { defineLoader } from '../../platform/request/define-loader.js'
import { readAssetsBySlug } from './store.js'

export const assetBySlug = defineLoader((slugs: readonly string[], context) =>
  readAssetsBySlug(context.database, slugs),
)
