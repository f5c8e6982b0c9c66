import { type Given, parseLimit, type WholeBounds } from '../../../core/argument-parsers.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { OFFSET_LIMITS } from '../../../core/page.js'
import { Problems } from '../../../core/problems.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { assetIndexByClass } from '../asset-index.js'
import type { IndexedAsset } from '../index-store.js'
import type { AssetClass } from '../model.js'
import { findNamedAssets, indexAssetNames } from './named-assets.js'
import { type FoundAssets, searchAssets } from './search-store.js'
import { findMistypedAssets, indexAssetWords } from './typing-errors.js'

/** Matches per answer; from the API contract. */
export const SEARCH_LIMITS: WholeBounds = OFFSET_LIMITS

/** Room for a name, and for a question with one. */
export const MAX_SEARCH_LENGTH = 200

/** An asset's integer key is a 4-byte integer. */
const MAX_ASSET_ID = 2_147_483_647

export interface AssetSearch {
  /** Lower case, trimmed, with one blank between words. */
  readonly text: string
  /** The text of the request, unchanged. */
  readonly question: string
  /** The text as the integer key of an asset. Null if it is not a key. */
  readonly assetId: number | null
  readonly assetClass: AssetClass | null
  readonly limit: number
}

/** Checks a search. The 422 names every wrong argument. */
export function parseAssetSearch(args: {
  readonly q: string
  readonly asset_class?: Given<AssetClass>
  readonly limit?: Given<number>
}): AssetSearch {
  const problems = new Problems()
  const text = parseSearchText(problems, args.q)
  const limit = parseLimit(problems, args.limit, SEARCH_LIMITS)
  problems.refuse()
  const assetId = /^\d{1,10}$/.test(text) && Number(text) <= MAX_ASSET_ID ? Number(text) : null
  return { text, question: args.q, assetId, assetClass: args.asset_class ?? null, limit }
}

/** The text in lower case with one blank between words. Adds a problem if it is empty, too long or has control characters. */
export function parseSearchText(problems: Problems, given: string): string {
  const text = given.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()
  const { length } = Array.from(text)
  if (length < 1 || length > MAX_SEARCH_LENGTH) {
    problems.add('q', `must have 1 to ${MAX_SEARCH_LENGTH} characters; got ${length}`)
  } else if (!/^\P{C}+$/u.test(text)) {
    problems.add('q', 'must have visible characters only')
  }
  return text
}

const assetWords = memoizeByObject(indexAssetWords)
const assetNames = memoizeByObject(indexAssetNames)

/**
 * The best matches, best first, and the number of all matches, in one statement. A text that begins no word of any asset is
 * probably mistyped or a question: a second statement then adds the assets that it resembles, or returns those that it names.
 */
export async function findAssets(search: AssetSearch, context: RequestContext): Promise<FoundAssets> {
  const asTyped = await searchAssets(context.database, { ...search, meant: [] })
  if (asTyped.isWordFound) return asTyped
  const meant = meantAssets(search, await assetIndexByClass(null, context), asTyped.total === 0)
  return meant.length === 0 ? asTyped : searchAssets(context.database, { ...search, meant })
}

/** Keys of the assets that a text means which begins no word of any asset, best first. */
function meantAssets(
  { text, question, assetClass }: AssetSearch,
  assets: readonly IndexedAsset[],
  isWithoutMatch: boolean,
): readonly number[] {
  const corrected = findMistypedAssets(assetWords(assets), text, assetClass)
  const named = isWithoutMatch ? findNamedAssets(assetNames(assets), question, assetClass) : []
  if (!named[0]?.isWhole && corrected[0] !== undefined)
    return isWithoutMatch || corrected[0].isMistyped ? corrected.map(({ assetId }) => assetId) : []
  return named.map(({ assetId }) => assetId)
}
