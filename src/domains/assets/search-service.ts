import { type Given, parseLimit, type WholeBounds } from '../../core/argument-parsers.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { OFFSET_LIMITS } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { assetIndexByClass } from './asset-index.js'
import type { AssetClass } from './model.js'
import { type FoundAssets, searchAssets } from './search-store.js'
import { findMistypedAssets, indexAssetWords } from './typing-errors.js'

/** Matches per answer; from the API contract. */
export const SEARCH_LIMITS: WholeBounds = OFFSET_LIMITS

/** No slug, ticker or name in use is longer. */
export const MAX_SEARCH_LENGTH = 64

/** An asset's integer key is a 4-byte integer. */
const MAX_ASSET_ID = 2_147_483_647

export interface AssetSearch {
  /** Lower case, trimmed, with one blank between words. */
  readonly text: string
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
  return { text, assetId, assetClass: args.asset_class ?? null, limit }
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

/**
 * The best matches, best first, and the number of all matches, in one statement. A text that begins no word of any asset is
 * probably mistyped: a second statement then adds the assets that it resembles.
 */
export async function findAssets(search: AssetSearch, context: RequestContext): Promise<FoundAssets> {
  const asTyped = await searchAssets(context.database, { ...search, corrected: [] })
  if (asTyped.isWordFound) return asTyped
  const words = assetWords(await assetIndexByClass(null, context))
  const corrected = findMistypedAssets(words, search.text, search.assetClass)
  const [best] = corrected
  if (best === undefined || (asTyped.total > 0 && !best.isMistyped)) return asTyped
  return searchAssets(context.database, { ...search, corrected: corrected.map(({ assetId }) => assetId) })
}
