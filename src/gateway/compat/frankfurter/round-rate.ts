import { Decimal } from '../../../core/decimal.js'

/** Rates above the bound have so many decimal places; smaller ones have `SMALLEST_PLACES`. */
const PLACES: readonly (readonly [above: number, places: number])[] = [
  [5000, 0],
  [80, 2],
  [20, 3],
  [1, 4],
  [0.0001, 5],
]
const SMALLEST_PLACES = 6

/** Rounds a rate by its size as Frankfurter does: the shortest decimal of the double, ties to even, above 5000 half up. */
export function roundRate(rate: number): number {
  const [, places] = PLACES.find(([above]) => rate > above) ?? [0, SMALLEST_PLACES]
  const mode = places === 0 ? Decimal.ROUND_HALF_UP : Decimal.ROUND_HALF_EVEN
  return new Decimal(rate).toDecimalPlaces(places, mode).toNumber()
}
