import { canonicalJson, sha256Hex } from '../../../core/canonical-json.js'
import { Decimal, type DecimalText, decimal, decimalText } from '../../../core/decimal.js'
import {
  type EtfHolding,
  type EtfReport,
  type EtfReportHeader,
  type EtfRow,
  MAX_HOLDINGS,
  type QuarantinedReport,
  WEIGHT_SUM_BOUNDS,
} from '../../../domains/etf/model.js'
import { BrokenBody, IngestError, type Parsed } from '../../feed.js'
import type { Read } from '../read.js'

/** The weights of a report do not sum to about 1, so the previous report stays. */
export class Quarantined extends IngestError {
  override readonly name = 'Quarantined'
  readonly quarantined: QuarantinedReport

  constructor(quarantined: QuarantinedReport) {
    super(`quarantined: ${quarantined.reason}`)
    this.quarantined = quarantined
  }
}

/** A row of a report with what decides whether it counts. */
interface Row {
  readonly holding: EtfHolding
  readonly position: string
  /** In the currency of the fund. */
  readonly marketValue: DecimalText | null
  /** Whether all cells equal those of an earlier row. */
  readonly isRepeated: boolean
}

/** What a row has beside its holding: all its cells, also those that a holding does not keep. */
interface RowFacts {
  readonly cells: string
  /** In the currency of the fund. */
  readonly marketValue?: DecimalText | null
}

/** Collects the holdings of one report, and the rejected rows beside them. */
export class ReportBuilder {
  readonly #rows: Row[] = []
  readonly #rejections: Parsed<EtfRow>[] = []
  readonly #seen = new Set<string>()

  /** Adds a holding or a rejection. */
  take(position: string, read: Read<EtfHolding>, { cells, marketValue = null }: RowFacts): void {
    if ('wrong' in read) {
      this.reject(position, read.wrong)
      return
    }
    if (this.#rows.length >= MAX_HOLDINGS)
      throw new BrokenBody(`the body has more than ${MAX_HOLDINGS} holdings`)
    const hash = sha256Hex(cells)
    this.#rows.push({ holding: read.value, position, marketValue, isRepeated: this.#seen.has(hash) })
    this.#seen.add(hash)
  }

  reject(position: string, reason: string): void {
    this.#rejections.push({ kind: 'rejected', position, reason })
  }

  /** The market value of the fund, in its currency. */
  get marketValue(): Decimal {
    return this.#countedRows({ uninvestedCash: null, grossAssets: null }).reduce(
      (sum, { marketValue }) => sum.plus(marketValue ?? 0),
      new Decimal(0),
    )
  }

  /** Equal rows are different positions, unless the weights are those of a whole fund only without the repeated ones. */
  #countedRows(facts: BesideHoldings): readonly Row[] {
    const once = this.#rows.filter(({ isRepeated }) => !isRepeated)
    const isWhole = (rows: readonly Row[]) =>
      isWholeFund(
        rows.map(({ holding }) => holding),
        facts,
      )
    return once.length < this.#rows.length && !isWhole(this.#rows) && isWhole(once) ? once : this.#rows
  }

  /** Builds the report with its holdings and its rejected rows. */
  build(facts: EtfReportHeader, grossAssets: DecimalText | null = null): ParsedReport {
    const counted = this.#countedRows({ uninvestedCash: facts.uninvestedCash, grossAssets })
    if (counted.length < this.#rows.length)
      for (const { position } of this.#rows.filter(({ isRepeated }) => isRepeated))
        this.reject(position, 'is listed twice')
    const holdings = counted.map(({ holding }) => holding)
    // The sort is stable: holdings of equal weight keep their order.
    const sorted = holdings
      .map((holding) => ({ holding, weight: decimal(holding.weight) }))
      .sort((a, b) => b.weight.comparedTo(a.weight))
      .map(({ holding }) => holding)
    const report: EtfReport = {
      ...facts,
      weightSum: decimalText(sumOfWeights(holdings)),
      holdingsCount: sorted.length,
      contentHash: sha256Hex(
        canonicalJson({ ...facts, publishedAt: null, accession: null, holdings: sorted }),
      ),
    }
    return { report, grossAssets, holdings: sorted, rejections: this.#rejections }
  }
}

export interface ParsedReport {
  readonly report: EtfReport
  /** Total assets as a fraction of net assets; null if the source does not state them. */
  readonly grossAssets: DecimalText | null
  readonly holdings: readonly EtfHolding[]
  readonly rejections: readonly Parsed<EtfRow>[]
}

/** The rows of an accepted report. Throws Quarantined if the weights are not those of a whole fund. */
export function* rowsOfReport(parsed: ParsedReport): Generator<Parsed<EtfRow>> {
  const { report, holdings, rejections } = parsed
  const reason = explainWeights(parsed)
  if (reason !== null) throw new Quarantined({ report, reason })
  yield* rejections
  if (holdings.length === 0) yield { kind: 'row', row: { report, position: 1, holding: null } }
  for (const [at, holding] of holdings.entries())
    yield { kind: 'row', row: { report, position: at + 1, holding } }
}

/** What a source states beside the holdings. */
interface BesideHoldings {
  /** Cash as a fraction of net assets; null if the source does not state it separately. */
  readonly uninvestedCash: DecimalText | null
  /** Total assets as a fraction of net assets; null if the source does not state them. */
  readonly grossAssets: DecimalText | null
}

function sumOfWeights(holdings: readonly EtfHolding[]): Decimal {
  return holdings.reduce((sum, { weight }) => sum.plus(weight), new Decimal(0))
}

/** The highest plausible sum of weights. A fund with debts holds more than 1, up to its total assets. */
function highestSum(grossAssets: DecimalText | null): Decimal {
  return Decimal.max(0, new Decimal(grossAssets ?? 1).minus(1)).plus(WEIGHT_SUM_BOUNDS.most)
}

/**
 * Whether the weights, fractions of net assets, may be those of a whole fund: between 0.95 and 1.05, with or without the cash
 * that the source states separately.
 */
function isWholeFund(
  holdings: readonly EtfHolding[],
  { uninvestedCash, grossAssets }: BesideHoldings,
): boolean {
  const alone = sumOfWeights(holdings)
  return [alone, alone.plus(uninvestedCash ?? 0)].some(
    (sum) =>
      sum.greaterThanOrEqualTo(WEIGHT_SUM_BOUNDS.least) && sum.lessThanOrEqualTo(highestSum(grossAssets)),
  )
}

/** Explains why the sum of the weights is implausible; null if it is plausible. */
function explainWeights({ report, grossAssets, holdings }: ParsedReport): string | null {
  const { asOf, weightSum, uninvestedCash, holdingsCount } = report
  if (isWholeFund(holdings, { uninvestedCash, grossAssets })) return null
  const sum = decimal(weightSum).plus(uninvestedCash ?? 0)
  const cash = uninvestedCash === null ? '' : ' with the cash beside them'
  const shown = (value: Decimal) => value.toSignificantDigits(6).toString()
  return `the weights of ${holdingsCount} holdings as of ${asOf} sum to ${shown(sum)}${cash}, not to between ${WEIGHT_SUM_BOUNDS.least} and ${shown(highestSum(grossAssets))}`
}
