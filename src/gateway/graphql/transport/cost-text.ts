import type { Cost } from '../../../policy/price.js'

/** The member `extensions` of a body, without its name: what the operation cost. */
export function costText(cost: Cost): string {
  return JSON.stringify({ cost })
}
