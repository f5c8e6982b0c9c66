import { groupBy } from '../../../core/group-by.js'
import type { InstrumentFacts, SecurityType } from '../model.js'
import { hasTypeLetter, securityTypeOf } from './security-types.js'

/** A ticker of the SEC's list and the company that has it. */
export interface ListedHolder {
  readonly ticker: string
  readonly cik: string
  /** As the list names it; empty if it names none. */
  readonly exchange: string
  readonly name: string
}

/** The same with what the security is. */
export interface CompanyLine extends ListedHolder {
  readonly securityType: SecurityType | null
}

/** Adds what each security is, in the order of the list. A ticker that the list has on two exchanges counts once: with an exchange before one without. */
export function toCompanyLines(listed: readonly ListedHolder[]): readonly CompanyLine[] {
  const byHolder = groupBy(listed, ({ ticker, cik }) => `${ticker} ${cik}`)
  const once = [...byHolder.values()].flatMap((own) => own.toSorted(byExchange)[0] ?? [])
  return [...groupBy(once, ({ cik }) => cik).values()].flatMap((company) => {
    const tickers = company.map(({ ticker }) => ticker)
    return company.map((line) => ({ ...line, securityType: securityTypeOf(line, tickers) }))
  })
}

/** Without the tickers that several companies have: none of them counts. The ledger of the run names them as contradictions. */
export function withoutShared(lines: readonly CompanyLine[]): readonly CompanyLine[] {
  const byTicker = groupBy(lines, ({ ticker }) => ticker)
  return lines.filter(({ ticker }) => byTicker.get(ticker)?.length === 1)
}

/**
 * The line of the main share of a company: the first of its lines, because the list of the SEC has the main ticker of a company
 * before the others. A line without an exchange comes last. Null if every ticker may be a unit, a warrant or a preferred share.
 */
export function mainLineOf(company: readonly CompanyLine[]): CompanyLine | null {
  return company.filter(mayBeMain).toSorted(byExchange)[0] ?? null
}

/** Whether a security can be the main share of its company. A ticker that looks like that of a unit or a warrant is not. */
export function mayBeMain({
  ticker,
  exchange,
  securityType,
}: Pick<InstrumentFacts, 'ticker' | 'exchange' | 'securityType'>): boolean {
  return !securityType && !(exchange === 'Nasdaq' && hasTypeLetter(ticker))
}

/** Of a security that is not the main share: the company with the kind, if it is known, and the ticker. */
export function describeLine({ name, ticker, securityType }: CompanyLine): string {
  const kind = securityType === 'preferred' ? 'preferred share' : securityType
  return kind === null ? `${name}, ${ticker}` : `${name}, ${kind} ${ticker}`
}

function byExchange({ exchange: a }: ListedHolder, { exchange: b }: ListedHolder): number {
  return Number(a === '') - Number(b === '')
}
