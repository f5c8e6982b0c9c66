import { STOP_WORDS } from '../../../core/question-words.js'
import type { IndexedAsset } from '../index-store.js'
import type { AssetClass } from '../model.js'
import WORDS from './words-of-questions.json' with { type: 'json' }

/** Words of finance in questions. By themselves they name no asset, though a ticker or the name of a company contains them. */
const SUBJECT_WORDS: ReadonlySet<string> = new Set(WORDS.subjects)

/** Abbreviations in questions, which are tickers too. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(WORDS.abbreviations)

/** Endings of names that people leave out: legal forms, share classes, and what a fund is. */
const NAME_ENDINGS: ReadonlySet<string> = new Set(WORDS.nameEndings)

const MIN_TELLING_LENGTH = 3
const MAX_NAMED = 20

interface NameWords {
  readonly at: number
  readonly words: readonly string[]
}

/** The names, slugs and tickers of all assets by their first word, and the words after it. */
export interface AssetNames {
  readonly assets: readonly IndexedAsset[]
  readonly byFirstWord: ReadonlyMap<string, readonly NameWords[]>
  readonly byTicker: ReadonlyMap<string, readonly number[]>
  readonly byLaterWord: ReadonlyMap<string, readonly number[]>
}

/** Collects the names of the assets. */
export function indexAssetNames(assets: readonly IndexedAsset[]): AssetNames {
  const byFirstWord = new Map<string, NameWords[]>()
  const byTicker = new Map<string, number[]>()
  const byLaterWord = new Map<string, number[]>()
  assets.forEach(({ slug, name, ticker }, at) => {
    addTo(byTicker, ticker.toUpperCase(), at)
    const spelled = new Map([name, slug].map((text) => [nameWords(text).join(' '), nameWords(text)]))
    for (const words of spelled.values()) {
      const [first, ...later] = words
      if (first === undefined) continue
      addTo(byFirstWord, first, { at, words })
      for (const word of later) addTo(byLaterWord, word, at)
    }
  })
  return { assets, byFirstWord, byTicker, byLaterWord }
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function nameWords(name: string): readonly string[] {
  const words = splitWords(name.replace(/\/[A-Z]{2,4}\/?$/i, '')) // the SEC's mark of a state or country, as in "/DE/"
  const end = words.findLastIndex((word) => !NAME_ENDINGS.has(word))
  return words.slice(0, Math.max(end, 0) + 1)
}

/** Lower-case words without accents, without `and`. */
function splitWords(text: string): readonly string[] {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’.]/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'and')
}

/** How surely a text names an asset. The number of words that it has of the name is added, so that more words are surer. */
const WHOLE_NAME = 100
const UPPER_CASE_TICKER = WHOLE_NAME + 1
const FIRST_WORDS = 50
const TICKER = FIRST_WORDS + 1
const FIRST_WORD = 10
const LATER_WORD = 1

export interface AssetInQuestion {
  readonly assetId: number
  /** The whole name, or the ticker in capitals. */
  readonly isWhole: boolean
}

/**
 * The assets that a question names, best first, at most 20. Each word and each run of words is compared by itself: a whole
 * name, without its legal form, and a ticker in capitals come first; then tickers in small letters, the first words of a
 * name, and, if nothing else was found, a later word. More words are better; then rank tier and key decide.
 */
export function findNamedAssets(
  names: AssetNames,
  question: string,
  assetClass: AssetClass | null,
): readonly AssetInQuestion[] {
  const scores = new Map<number, number>()
  const raise = (at: number, score: number) => scores.set(at, Math.max(score, scores.get(at) ?? 0))
  const words = question.split(/\s+/).filter(Boolean)
  for (const [at, score] of tickersIn(names, question)) raise(at, score)
  const spellings = [words.flatMap(splitWords), words.map(withoutPossessive).flatMap(splitWords)]
  for (const spelling of spellings) {
    spelling.forEach((word, start) => {
      for (const { at, words: name } of names.byFirstWord.get(word) ?? []) {
        const score = scoreOf(name, spelling.slice(start, start + name.length))
        if (score !== null) raise(at, score)
      }
    })
  }
  if (scores.size === 0) {
    for (const word of spellings.flat().filter(isTelling))
      for (const at of names.byLaterWord.get(word) ?? []) raise(at, LATER_WORD)
  }
  return [...scores]
    .flatMap(([at, score]) => {
      const asset = names.assets[at]
      return asset === undefined || (assetClass !== null && asset.asset_class !== assetClass)
        ? []
        : [{ asset, score }]
    })
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        (a.asset.tier ?? Infinity) - (b.asset.tier ?? Infinity) ||
        a.asset.asset_id - b.asset.asset_id,
    )
    .slice(0, MAX_NAMED)
    .map(({ asset, score }) => ({ assetId: asset.asset_id, isWhole: score >= WHOLE_NAME }))
}

function withoutPossessive(word: string): string {
  return word.replace(/['’]s?(?![\p{L}\p{N}])/gu, '')
}

function isCommon(word: string): boolean {
  return STOP_WORDS.has(word) || SUBJECT_WORDS.has(word)
}

/** A word of a question that may name an asset, though it is only a part of its name, or its ticker in small letters. */
function isTelling(word: string): boolean {
  return word.length >= MIN_TELLING_LENGTH && !isCommon(word)
}

function* tickersIn({ byTicker }: AssetNames, question: string): Iterable<readonly [number, number]> {
  const isShouted = question === question.toUpperCase()
  for (const [word] of question.matchAll(/[\p{L}\p{N}]+(?:[.-][\p{L}\p{N}]+)*/gu)) {
    const ticker = word.toUpperCase()
    if (ABBREVIATIONS.has(ticker)) continue
    const isCapital = word === ticker && /\p{Lu}/u.test(word) && !isShouted
    if (!isCapital && !isTelling(word.toLowerCase())) continue
    for (const at of byTicker.get(ticker) ?? []) yield [at, isCapital ? UPPER_CASE_TICKER : TICKER]
  }
}

/** The score of a name whose first words are in the question; null if these words name nothing by themselves. */
function scoreOf(name: readonly string[], asked: readonly string[]): number | null {
  const differs = name.findIndex((word, index) => word !== asked[index])
  const isWhole = differs < 0
  const same = isWhole ? name.length : differs
  if (isWhole && (same > 1 || !isCommon(name.join()))) return WHOLE_NAME + same
  if (!name.slice(0, same).some(isTelling)) return null
  return same > 1 ? FIRST_WORDS + same : FIRST_WORD
}
