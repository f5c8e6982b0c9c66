import type { UsCompany } from './model.js'

/** Markets whose tickers the SEC lists (ISO 10383). */
export const US_MARKETS = ['XNAS', 'XNYS', 'XASE', 'ARCX', 'BATS', 'IEXG', 'XNGS', 'XNMS', 'XNCM'] as const

/** A US listing of a stock, as far as its identity is compared. */
export interface UsListing {
  readonly assetId: number
  readonly ticker: string
  readonly mic: string
  readonly name: string
  readonly cik: string | null
  readonly lei: string | null
  /** Provider of the listing. */
  readonly source: string
}

/** What a company says otherwise, or more, of a listing. */
export interface IdentityFinding {
  readonly listing: UsListing
  readonly company: UsCompany
  /** Another ticker than the listing has; null: the same, or it cannot be said which. */
  readonly ticker: string | null
  /** Not known before; null: nothing new. */
  readonly cik: string | null
  /** Not known before; null: nothing new. */
  readonly lei: string | null
}

/** SEC writes BRK-B where others write BRK.B. */
const bare = (ticker: string) => ticker.replaceAll(/[.-]/g, '')

/** Preferred shares, warrants, units and rights, as the SEC writes them: BA-PA, ABC-WT, ABC-UN, ABC-RI; a class of shares is BRK-B. */
const NOT_COMMON_SUFFIX = /-(?:P[A-Z]{0,2}|W[ST]?[A-Z]?|UN?|R[IT]?)$/

/** The same on Nasdaq, where the fifth letter says it: M to P preferred shares, R rights, U units, W warrants. */
const NOT_COMMON_FIFTH_LETTER = /^[A-Z]{4}[MNOPRUW]$/

/**
 * What companies say of listings. A listing is of the company with its CIK; without one, of the company that has its ticker
 * and whose name begins with the same word. Its ticker is another one only where the company has none like it and exactly one
 * of a common share that no other listing has: of several it cannot be said which.
 */
export function findIdentities(
  listings: readonly UsListing[],
  companies: readonly UsCompany[],
): readonly IdentityFinding[] {
  const byCik = new Map(companies.map((company) => [String(company.cik), company]))
  const byTicker = new Map(
    companies.flatMap((company) => company.tickers.map((ticker) => [bare(ticker), company])),
  )
  const taken = new Set(listings.map(({ ticker }) => bare(ticker)))
  const findings = listings.flatMap((listing) => {
    const { ticker, cik, lei, name } = listing
    const named = byTicker.get(bare(ticker))
    const sameName = named !== undefined && firstWord(named.name) === firstWord(name) ? named : undefined
    const company = cik === null ? sameName : byCik.get(cik)
    if (company === undefined) return []
    const free = company.tickers.filter((other) => !NOT_COMMON_SUFFIX.test(other) && !taken.has(bare(other)))
    const isListed = company.tickers.some((other) => bare(other) === bare(ticker))
    const [next, ...others] = isListed ? [] : free
    const isCertain = next !== undefined && others.length === 0 && !NOT_COMMON_FIFTH_LETTER.test(next)
    const moved = isCertain ? next : null
    const found = { cik: cik === null ? company.cik : null, lei: lei === null ? (company.lei ?? null) : null }
    return { listing, company, ticker: moved, ...found }
  })
  // Two listings of a company cannot both have become the one that is left.
  const isShared = (ticker: string) => findings.filter((one) => one.ticker === ticker).length > 1
  return findings.map((one) => (one.ticker !== null && isShared(one.ticker) ? { ...one, ticker: null } : one))
}

function firstWord(name: string): string {
  const [word = ''] =
    name
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.filter((one) => one !== 'the') ?? []
  return word
}
