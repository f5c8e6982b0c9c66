/** The prices of one ticker at a venue, USD, by the start of the hour in epoch milliseconds. */
export interface VenuePrices {
  readonly venue: string
  readonly prices: ReadonlyMap<number, number>
}

/** Whether venues trade the same coin under a ticker. */
export type Agreement =
  | {
      readonly kind: 'agreed'
      readonly venues: readonly string[]
      /** Venues that trade another coin, each with what was compared. */
      readonly others: readonly { readonly venue: string; readonly reason: string }[]
    }
  | { readonly kind: 'open'; readonly reason: string }

/** The largest difference of two venues' prices of one coin. */
const MAX_DIFFERENCE = 0.03

/** Hours in which both venues must have traded. */
const MIN_COMMON_HOURS = 6

/**
 * Compares the hourly prices of the last 24 hours. Two venues agree if the median of their differences is at most 3 %. The coin is
 * that of the largest group of venues that agree with each other; a venue that differs from the group trades another one.
 */
export function agreementOf(series: readonly VenuePrices[]): Agreement {
  const groups = series.map((one) => [one, ...series.filter((other) => other !== one && isSame(one, other))])
  const largest = groups.toSorted((a, b) => b.length - a.length)[0] ?? []
  const isTied = groups.some(
    (group) => group.length === largest.length && !group.some((one) => largest.includes(one)),
  )
  const [first] = largest
  if (first === undefined || largest.length < 2 || isTied) return { kind: 'open', reason: reasonOf(series) }
  const others = series.flatMap((one) => {
    const compared = largest.includes(one) ? null : differenceOf(first, one)
    if (compared === null) return []
    return {
      venue: one.venue,
      reason: `its price differs from that at ${first.venue} by ${percent(compared)}`,
    }
  })
  return { kind: 'agreed', venues: largest.map(({ venue }) => venue), others }
}

function isSame(a: VenuePrices, b: VenuePrices): boolean {
  const difference = differenceOf(a, b)
  return difference !== null && difference <= MAX_DIFFERENCE
}

/** The median difference over the hours in which both traded, as a fraction of the lower price; null for too few hours. */
function differenceOf(a: VenuePrices, b: VenuePrices): number | null {
  const differences = [...a.prices].flatMap(([hour, price]) => {
    const other = b.prices.get(hour)
    return other === undefined ? [] : Math.max(price, other) / Math.min(price, other) - 1
  })
  if (differences.length < MIN_COMMON_HOURS) return null
  return differences.sort((x, y) => x - y)[Math.floor(differences.length / 2)] ?? null
}

function reasonOf(series: readonly VenuePrices[]): string {
  const pairs = series.flatMap((a, at) =>
    series.slice(at + 1).map((b) => ({ a, b, difference: differenceOf(a, b) })),
  )
  const compared = pairs.flatMap(({ a, b, difference }) =>
    difference === null ? [] : `${a.venue} and ${b.venue} differ by ${percent(difference)}`,
  )
  if (compared.length > 0) return compared.join('; ')
  return `no two exchanges traded it in ${MIN_COMMON_HOURS} common hours of the last 24`
}

function percent(fraction: number): string {
  return `${(fraction * 100).toPrecision(3)} %`
}
