import { Decimal } from '../decimal.js'

const WEIGHT_PLACES = 10
const UNITS_OF_ONE = new Decimal(10).pow(WEIGHT_PLACES)
const WEIGHT_UNIT = new Decimal(10).pow(-WEIGHT_PLACES)

/**
 * Each venue's share of the volume as a fraction with 10 decimal places, adding up to exactly 1. Volumes are above
 * zero. Rounded by the largest remainder: each share is cut, and the units missing to 1 go one each to the largest
 * cut-off parts, ties in the order given. So no share moves by a whole unit, and one of at most 0.5 stays that;
 * the usual "rest to the largest" could lift it over.
 */
export function volumeWeights(
  venues: readonly { readonly venue: string; readonly volumeUsd: Decimal }[],
): ReadonlyMap<string, Decimal> {
  const total = Decimal.sum(0, ...venues.map(({ volumeUsd }) => volumeUsd))
  const shares = venues.map(({ venue, volumeUsd }) => {
    const exact = volumeUsd.dividedBy(total)
    const weight = exact.toDecimalPlaces(WEIGHT_PLACES, Decimal.ROUND_DOWN)
    return { venue, weight, cutOff: exact.minus(weight) }
  })
  const given = Decimal.sum(0, ...shares.map(({ weight }) => weight))
  const missingUnits = new Decimal(1).minus(given).times(UNITS_OF_ONE)
  const byCutOff = shares.sort((a, b) => b.cutOff.comparedTo(a.cutOff))
  return new Map(
    byCutOff.map(({ venue, weight }, rank) => [
      venue,
      missingUnits.greaterThan(rank) ? weight.plus(WEIGHT_UNIT) : weight,
    ]),
  )
}
