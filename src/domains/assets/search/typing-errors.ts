import { countTypingErrors } from '../../../core/suggest.js'
import type { IndexedAsset } from '../index-store.js'
import type { AssetClass } from '../model.js'

/** A shorter word with one wrong letter resembles too many others. */
const LETTERS_FOR_ONE_ERROR = 4
const LETTERS_FOR_TWO_ERRORS = 8

/** A text of more words is not the name of an asset, and each word is compared with every word of the index. */
const MAX_WORDS = 4

const MAX_CORRECTED = 100

/** An error counts more than all the other costs of a text. */
const COST_OF_ERROR = 4 * MAX_WORDS
const COST_OF_FIRST_LETTER = 2
const COST_OF_TICKER = 1

interface Place {
  /** Position of the asset in the index. */
  readonly at: number
  /** The word is only the ticker, where another letter is usually another asset. */
  readonly isTicker: boolean
}

interface IndexedWord {
  readonly word: string
  readonly places: readonly Place[]
}

/** The words of all slugs, names and tickers, each once. */
export interface AssetWords {
  readonly assets: readonly IndexedAsset[]
  readonly words: readonly IndexedWord[]
}

export interface CorrectedAsset {
  readonly assetId: number
  /** False if each word of the text begins a word of the asset. */
  readonly isMistyped: boolean
}

/** Collects the words of the assets. A slug counts as one word too, without its hyphens. */
export function indexAssetWords(assets: readonly IndexedAsset[]): AssetWords {
  const places = new Map<string, Place[]>()
  assets.forEach(({ slug, name, ticker }, at) => {
    const named = new Set([...splitWords(name), ...slug.split('-'), slug.replaceAll('-', '')])
    for (const word of named) addTo(places, word, { at, isTicker: false })
    const symbol = ticker.toLowerCase()
    if (!named.has(symbol)) addTo(places, symbol, { at, isTicker: true })
  })
  return { assets, words: [...places].map(([word, found]) => ({ word, places: found })) }
}

function addTo(places: Map<string, Place[]>, word: string, place: Place): void {
  const known = places.get(word)
  if (known === undefined) places.set(word, [place])
  else known.push(place)
}

function splitWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/**
 * The assets that a text with typing errors probably means, best first, at most 100. Every word of the text must
 * be a word of the asset, begin one, or differ from one by an error (4 to 7 letters) or two; two adjacent letters swapped are
 * one error. Order: fewest errors; the first letter right; a name or slug before a ticker; an asset whose slug has as many
 * words as the text; rank tier; key.
 */
export function findMistypedAssets(
  { assets, words }: AssetWords,
  text: string,
  assetClass: AssetClass | null,
): readonly CorrectedAsset[] {
  const wanted = splitWords(text)
  if (wanted.length === 0 || wanted.length > MAX_WORDS) return []
  const [first = new Map<number, number>(), ...others] = wanted.map((word) => costByAsset(word, words))
  const found = [...first].flatMap(([at, cost]) => {
    const asset = assets[at]
    const costs = others.map((other) => other.get(at))
    if (asset === undefined || (assetClass !== null && asset.asset_class !== assetClass)) return []
    if (!costs.every((one) => one !== undefined)) return []
    const isWhole = asset.slug.split('-').length === wanted.length
    return [{ asset, isWhole, cost: costs.reduce((sum, one) => sum + one, cost) }]
  })
  return found
    .toSorted(
      (a, b) =>
        a.cost - b.cost ||
        Number(b.isWhole) - Number(a.isWhole) ||
        (a.asset.tier ?? Infinity) - (b.asset.tier ?? Infinity) ||
        a.asset.asset_id - b.asset.asset_id,
    )
    .slice(0, MAX_CORRECTED)
    .map(({ asset, cost }) => ({ assetId: asset.asset_id, isMistyped: cost >= COST_OF_ERROR }))
}

/** The cost of the nearest word of each asset that has a near one, by the asset's position. */
function costByAsset(wanted: string, words: readonly IndexedWord[]): ReadonlyMap<number, number> {
  const costs = new Map<number, number>()
  for (const { word, places } of words) {
    const errors = errorsOf(wanted, word)
    if (errors === null) continue
    const cost = COST_OF_ERROR * errors + (word[0] === wanted[0] ? 0 : COST_OF_FIRST_LETTER)
    for (const { at, isTicker } of places) {
      const own = cost + (isTicker ? COST_OF_TICKER : 0)
      if (own < (costs.get(at) ?? Infinity)) costs.set(at, own)
    }
  }
  return costs
}

/** The typing errors between a word of the text and a word of the index; null if they are too many. */
function errorsOf(wanted: string, word: string): number | null {
  if (word.startsWith(wanted)) return 0
  const { length } = wanted
  const allowed = length >= LETTERS_FOR_TWO_ERRORS ? 2 : length >= LETTERS_FOR_ONE_ERROR ? 1 : 0
  if (Math.abs(word.length - length) > allowed || allowed === 0) return null
  const errors = countTypingErrors(wanted, word)
  return errors <= allowed ? errors : null
}
