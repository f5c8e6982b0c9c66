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

/** Collects the holdings of one report, and the rejected rows beside them. */
export class ReportBuilder {
  readonly #holdings: EtfHolding[] = []
  readonly #rejections: Parsed<EtfRow>[] = []
  readonly #seen = new Set<string>()
  #marketValue = new Decimal(0)

  #add(holding: EtfHolding, position: string, cells: string): void {
    if (holding.isin !== null || holding.figi !== null || holding.ticker !== null) {
      const hash = sha256Hex(cells)
      if (this.#seen.has(hash)) {
        this.reject(position, 'is listed twice')
        return
      }
      this.#seen.add(hash)
    }
    if (this.#holdings.length >= MAX_HOLDINGS)
      throw new BrokenBody(`the body has more than ${MAX_HOLDINGS} holdings`)
    this.#holdings.push(holding)
  }

  /**
   * Adds a holding or a rejection. `cells` holds everything in the row, also what a holding does not keep. A
   * security with an identifier is a duplicate only if all its cells are the same. Derivatives without an
   * identifier may look alike.
   */
  take(position: string, read: Read<EtfHolding>, cells: string): void {
    if ('wrong' in read) this.reject(position, read.wrong)
    else this.#add(read.value, position, cells)
  }

  reject(position: string, reason: string): void {
    this.#rejections.push({ kind: 'rejected', position, reason })
  }

  /** Adds to the market value of the fund, in its currency. */
  addMarketValue(value: DecimalText): void {
    this.#marketValue = this.#marketValue.plus(decimal(value))
  }

  get marketValue(): Decimal {
    return this.#marketValue
  }

  /** Builds the report with its holdings and its rejected rows. */
  build(facts: EtfReportHeader, grossAssets: DecimalText | null = null): ParsedReport {
    // The sort is stable: holdings of equal weight keep their order.
    const holdings = this.#holdings
      .map((holding) => ({ holding, weight: decimal(holding.weight) }))
      .sort((a, b) => b.weight.comparedTo(a.weight))
    const sum = holdings.reduce((total, { weight }) => total.plus(weight), new Decimal(0))
    const sorted = holdings.map(({ holding }) => holding)
    const report: EtfReport = {
      ...facts,
      weightSum: decimalText(sum),
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

/**
 * Explains why the sum of the weights is implausible; null if it is plausible. It must be between 0.95 and 1.05,
 * with or without the cash that the source states separately. Weights are fractions of net assets: a fund with
 * debts holds more than 1, up to its total assets.
 */
function explainWeights({ report, grossAssets }: ParsedReport): string | null {
  const { asOf, weightSum, uninvestedCash, holdingsCount } = report
  const { least, most } = WEIGHT_SUM_BOUNDS
  const owed = Decimal.max(0, new Decimal(grossAssets ?? 1).minus(1))
  const highest = owed.plus(most)
  const isWhole = (sum: Decimal) => sum.greaterThanOrEqualTo(least) && sum.lessThanOrEqualTo(highest)
  const alone = decimal(weightSum)
  const sum = alone.plus(uninvestedCash ?? 0)
  if (isWhole(alone) || isWhole(sum)) return null
  const cash = uninvestedCash === null ? '' : ' with the cash beside them'
  const shown = (value: Decimal) => value.toSignificantDigits(6).toString()
  return `the weights of ${holdingsCount} holdings as of ${asOf} sum to ${shown(sum)}${cash}, not to between ${least} and ${shown(highest)}`
}
