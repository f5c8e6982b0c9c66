import { type DecimalText, decimal } from '../../core/decimal.js'

/** Number of the newest counts before a count that it is compared with. */
export const COMPARED_COUNTS = 4

/** No split and no issue of shares changes a count by more. Counts in thousands or millions differ by more. */
const MAX_FACTOR = 100

/**
 * Whether a share count can be right: at least half of the counts on the cover pages before it are within a factor of 100. A
 * count without earlier ones cannot be judged and is plausible. `before` has the newest count last.
 */
export function isPlausibleCount(count: DecimalText, before: readonly DecimalText[]): boolean {
  const compared = before.filter((one) => decimal(one).gt(0)).slice(-COMPARED_COUNTS)
  const alike = compared.filter((one) => {
    const factor = decimal(count).dividedBy(one)
    return factor.lte(MAX_FACTOR) && factor.gte(1 / MAX_FACTOR)
  })
  return 2 * alike.length >= compared.length
}

/** Why an implausible count is not used. */
export function implausibleText(count: DecimalText, before: readonly DecimalText[]): string {
  return `the cover page states ${count} shares, where those before state ${before.slice(-COMPARED_COUNTS).join(', ')}; such a count is not used`
}
