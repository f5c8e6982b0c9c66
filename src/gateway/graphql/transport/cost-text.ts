import type { Cost } from '../../../policy/price.js'

/** Writes the value of the member `extensions`: the cost of the operation. */
export function costText(cost: Cost): string {
  return JSON.stringify({ cost })
}
