import { groupBy } from '../../core/group-by.js'
import { hasTypeLetter, hasTypeSuffix } from './masters/security-types.js'
import type { ListingFacts, UsCompany } from './model.js'
import type { ListedSymbol } from './symbols/listed-symbols-model.js'

/** Markets whose tickers the SEC lists (ISO 10383). */
export const US_MARKETS = ['XNAS', 'XNYS', 'XASE', 'ARCX', 'BATS', 'IEXG', 'XNGS', 'XNMS', 'XNCM'] as const

/** A US listing of a stock. */
export interface UsListing extends ListingFacts {
  readonly assetId: number
  readonly ticker: string
  readonly name: string
  readonly cik: string | null
  /** Provider of the listing. */
  readonly source: string
}

/** The differences between the SEC's data of a company and a listing. */
export interface IdentityFinding {
  readonly listing: UsListing
  readonly company: UsCompany
  /** The new ticker of the listing. Null if it is the same, or if several are possible. */
  readonly ticker: string | null
  /** Columns that were unknown before. */
  readonly found: ListingFacts
}

/** The SEC writes BRK-B where others write BRK.B. */
const withoutPunctuation = (ticker: string) => ticker.replaceAll(/[.-]/g, '')

/**
 * Matches listings with companies. A listing belongs to the company with its CIK. Without a CIK it belongs to the company
 * that has its ticker and whose name begins with the same word. A listing gets a new ticker only if the company no longer has
 * its ticker and has exactly one ticker of a common share that no other listing has. With several the choice is unclear.
 */
export function findIdentities(
  listings: readonly UsListing[],
  companies: readonly UsCompany[],
): readonly IdentityFinding[] {
  const byCik = new Map(companies.map((company) => [String(company.cik), company]))
  const byTicker = new Map(
    companies.flatMap((company) => company.tickers.map((ticker) => [withoutPunctuation(ticker), company])),
  )
  const taken = new Set(listings.map(({ ticker }) => withoutPunctuation(ticker)))
  const findings = listings.flatMap((listing) => {
    const { ticker, cik, name } = listing
    const named = byTicker.get(withoutPunctuation(ticker))
    const sameName = named !== undefined && hasSameFirstWord(named.name, name) ? named : undefined
    const company = cik === null ? sameName : byCik.get(cik)
    if (company === undefined) return []
    const free = company.tickers.filter(
      (other) => !hasTypeSuffix(other) && !taken.has(withoutPunctuation(other)),
    )
    const isListed = company.tickers.some((other) => withoutPunctuation(other) === withoutPunctuation(ticker))
    const [next, ...others] = isListed ? [] : free
    const isCertain = next !== undefined && others.length === 0 && !hasTypeLetter(next)
    const moved = isCertain ? next : null
    return { listing, company, ticker: moved, found: findUnknown(listing, company) }
  })
  // Two listings of a company cannot both have changed to the same ticker.
  const isShared = (ticker: string) => findings.filter((one) => one.ticker === ticker).length > 1
  return findings.map((one) => (one.ticker !== null && isShared(one.ticker) ? { ...one, ticker: null } : one))
}

function findUnknown(listing: ListingFacts, { cik, listing: stated }: UsCompany): ListingFacts {
  const known = new Map<string, unknown>(Object.entries(listing))
  const found = Object.entries({ ...stated, cik }).filter(
    ([column, value]) => value !== null && (known.get(column) ?? null) === null,
  )
  return Object.fromEntries(found)
}

/** The companies of a list with their tickers, in its order. A ticker of two companies counts for neither, and a company with two names is left out. */
export function toCompanies(
  listed: readonly Pick<ListedSymbol, 'ticker' | 'cik' | 'name'>[],
): readonly UsCompany[] {
  const byTicker = groupBy(listed, ({ ticker }) => ticker)
  const isShared = ({ ticker, cik }: (typeof listed)[number]) =>
    byTicker.get(ticker)?.some((other) => other.cik !== cik) === true
  return [...groupBy(listed, ({ cik }) => cik).values()].flatMap((own) => {
    const [first, ...others] = own.filter((one) => !isShared(one))
    if (first === undefined || own.some(({ name }) => name !== first.name)) return []
    const tickers = new Set([first, ...others].map(({ ticker }) => ticker))
    return { cik: first.cik, name: first.name, tickers: [...tickers] }
  })
}

/** Whether two names begin with the same word, apart from "the". ExxonMobil begins like Exxon Mobil. */
export function hasSameFirstWord(one: string, other: string): boolean {
  const [own, others] = [wordsOf(one), wordsOf(other)]
  return beginsWith(own, others[0] ?? '') || beginsWith(others, own[0] ?? '')
}

/** Whether a name has all words of the other. */
export function hasAllWords(name: string, other: string): boolean {
  const words = new Set(wordsOf(name))
  return wordsOf(other).every((word) => words.has(word))
}

function wordsOf(name: string): readonly string[] {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => word !== 'the')
}

/** Whether the first words, written as one, are this word. */
function beginsWith(words: readonly string[], word: string): boolean {
  let joined = words[0] ?? ''
  for (const next of words.slice(1)) {
    if (joined.length >= word.length) break
    joined += next
  }
  return joined === word
}
