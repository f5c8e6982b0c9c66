import { groupBy } from '../../core/group-by.js'
import type { FindMentions, Mention, MentionMatch } from './model.js'
import { type NameCare, ORDINARY_NAMES, ORDINARY_TICKERS } from './ordinary-words-model.js'

/** The members of an asset that the rules for headlines need. */
export interface NamedAsset {
  readonly assetId: number
  readonly ticker: string
  readonly name: string
}

/** Shorter tickers and names occur in most headlines with another meaning. */
const MIN_PLAIN_TICKER_LENGTH = 3

/** Words that mark the name before them as a crypto asset. */
const WORDS_AFTER =
  'airdrops?|blockchain|coins?|cryptocurrency|dao|defi|foundation|hard fork|labs|mainnet|protocol|stablecoin|stakers?|' +
  'staking|testnet|tokens?|validators?|wallets?'

/** Words that mark the name after them as a crypto asset. */
const WORDS_BEFORE = 'altcoin|blockchain|coin|cryptocurrency|memecoin|stablecoin|token'

/** No letter or digit on that side. */
const NO_WORD_BEFORE = '(?<![\\p{L}\\p{N}_$])'
const NO_WORD_AFTER = '(?![\\p{L}\\p{N}_])'

interface Name extends NamedAsset {
  readonly care: NameCare | null
}

/**
 * The rule that finds the assets in headlines. A headline names an asset by
 * - its ticker after a dollar sign, in capitals: `$LINK`;
 * - its ticker as a word in capitals, from three characters on, unless that is an ordinary word (`ORDINARY_TICKERS`);
 * - its whole name as words in any case. A name that is also an ordinary word (`ORDINARY_NAMES`) must be written as the
 *   asset writes it; the most ambiguous names also need a word such as `token` beside them, or the ticker in brackets.
 * The longest name counts: `Ethereum Classic` is not Ethereum. In a headline in capitals every ordinary name needs such a
 * word. A name that two assets share counts for neither.
 */
export function headlineRule(assets: readonly NamedAsset[]): FindMentions {
  const names = new Map(
    uniqueBy(assets, ({ name }) => name.toLowerCase()).map(([key, asset]) => [
      key,
      { ...asset, care: ORDINARY_NAMES.get(key) ?? null },
    ]),
  )
  const tickers = new Map(uniqueBy(assets, ({ ticker }) => ticker))
  // Strict names first, because `bitcoin` within `bitcoin cash` must not match if the longer name does not count.
  const findNames = [true, false].map((isCareful) =>
    anyOf(
      [...names].flatMap(([key, { care }]) => ((care !== null) === isCareful ? key : [])),
      'giu',
    ),
  )
  const findTickers = anyOf([...tickers.keys()], 'gu', '\\$?')
  return (title) => {
    const found = new Map<number, MentionMatch>()
    const isCapitals = !/\p{Ll}/u.test(title)
    // A part of a matched name does not count as a ticker or a shorter name.
    const blank = (text: string, at: number) => {
      const name = names.get(text.toLowerCase())
      if (name === undefined || !isNamed(name, text, { title, at, isCapitals })) return text
      found.set(name.assetId, 'name')
      return ' '.repeat(text.length)
    }
    const rest = findNames.reduce((left, find) => left.replace(find, blank), title)
    for (const [text] of rest.matchAll(findTickers)) {
      const ticker = text.replace('$', '')
      const asset = tickers.get(ticker)
      const isPlain = ticker.length >= MIN_PLAIN_TICKER_LENGTH && !ORDINARY_TICKERS.has(ticker)
      if (asset === undefined || found.has(asset.assetId)) continue
      if (text.startsWith('$') || isPlain) found.set(asset.assetId, 'ticker')
    }
    return [...found].map(([assetId, matchedBy]): Mention => ({ assetId, matchedBy }))
  }
}

interface Place {
  readonly title: string
  readonly at: number
  readonly isCapitals: boolean
}

function isNamed({ name, ticker, care }: Name, text: string, { title, at, isCapitals }: Place): boolean {
  if (care === null) return true
  if (text !== name && text !== name.toUpperCase()) return false
  if (care === 'written' && !isCapitals) return true
  const after = title.slice(at + text.length)
  const hasTicker =
    after.trimStart().startsWith(`(${ticker})`) || after.trimStart().startsWith(`($${ticker})`)
  return hasTicker || AFTER.test(after) || BEFORE.test(title.slice(0, at))
}

const AFTER = new RegExp(`^(?:['’]s)?[ -](?:${WORDS_AFTER})${NO_WORD_AFTER}`, 'iu')
const BEFORE = new RegExp(`${NO_WORD_BEFORE}(?:${WORDS_BEFORE})[ -]$`, 'iu')

const MATCHES_NOTHING = /(?!)/g

/** Matches any of the texts as whole words, the longest first. */
function anyOf(texts: readonly string[], flags: string, before = ''): RegExp {
  if (texts.length === 0) return MATCHES_NOTHING
  const longestFirst = texts.toSorted((a, b) => b.length - a.length).map(escaped)
  return new RegExp(`${NO_WORD_BEFORE}${before}(?:${longestFirst.join('|')})${NO_WORD_AFTER}`, flags)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The assets whose key is unique. */
function uniqueBy(
  assets: readonly NamedAsset[],
  keyOf: (asset: NamedAsset) => string,
): readonly (readonly [string, NamedAsset])[] {
  return [...groupBy(assets, keyOf)].flatMap(([key, [asset, ...others]]) =>
    asset === undefined || others.length > 0 ? [] : [[key, asset] as const],
  )
}
