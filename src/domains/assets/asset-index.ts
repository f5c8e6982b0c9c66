import { memoizeByVersion } from '../../platform/request/loaders/memoize-by-version.js'
import { type IndexedAsset, loadAssetIndex } from './index-store.js'
import { ASSET_CLASSES, type AssetClass } from './model.js'

/** All assets of a class, or of all classes for null. Loaded once per version of the dataset. */
export const assetIndexByClass = memoizeByVersion<AssetClass | null, readonly IndexedAsset[]>({
  datasetsOf: () => ['instruments'],
  keyText: String,
  max: ASSET_CLASSES.length + 1,
  read: (assetClass, sql) => loadAssetIndex(sql, { assetClass }),
})
