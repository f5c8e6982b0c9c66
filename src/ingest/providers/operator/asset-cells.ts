import { suggest } from '../../../core/suggest.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import type { Read } from '../../bodies/read.js'
import { quoted } from '../../feed.js'

/** The members of an asset that a line about a crypto asset needs. */
export interface LineAsset {
  readonly assetId: number
  readonly slug: string
  readonly assetClass: AssetClass
}

export type AssetsBySlug = ReadonlyMap<string, LineAsset>

export function assetsBySlug(assets: readonly LineAsset[]): AssetsBySlug {
  return new Map(assets.map((asset) => [asset.slug, asset]))
}

/** The key of a crypto asset. */
export function readCryptoAsset(slug: string, bySlug: AssetsBySlug): Read<number> {
  const asset = bySlug.get(slug)
  if (asset?.assetClass === 'crypto') return { value: asset.assetId }
  if (asset !== undefined) return { wrong: `${slug} is not a crypto asset` }
  const likely = suggest(slug, [...bySlug.keys()])
  return {
    wrong: `asset ${quoted(slug)} does not exist${likely === null ? '' : `; did you mean ${likely}?`}`,
  }
}
