import { Decimal, type DecimalText, decimal } from '../../core/decimal.js'
import { groupBy } from '../../core/group-by.js'
import type { Method } from '../../core/method.js'
import type { IsoDate } from '../../core/time.js'

/** An exact positive fraction. It is not reduced: factors of many years stay short enough. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n }

/** What prices are adjusted for: nothing, splits and reverse splits, or also spin-offs and cash dividends. */
export const ADJUSTMENTS = ['none', 'splits', 'all'] as const
export type Adjustment = (typeof ADJUSTMENTS)[number]

/** Actions that may move the price of a share on their ex-date, in the order in which those of one day count. */
export const PRICED_ACTIONS = ['split', 'reverse_split', 'merger', 'spin_off', 'dividend'] as const
export type PricedAction = (typeof PRICED_ACTIONS)[number]

/** A corporate action or a cash dividend of a listing. */
export interface PriceAction {
  readonly actionType: PricedAction
  readonly exDate: IsoDate
  /** Of a split: shares after it per share before it. Of a spin-off: value after it per value before it. Null if unknown. */
  readonly ratio: DecimalText | null
  /** Of a dividend: amount per share, and its currency (ISO 4217). */
  readonly amount: DecimalText | null
  readonly currency: string | null
}

/** The last close before an ex-date, as traded, and its currency (ISO 4217). */
export interface PriorClose {
  readonly close: DecimalText
  readonly currency: string
}

/** The factor of an action, or the reason why prices are not adjusted for it. */
interface ActionFactor {
  readonly factor: Fraction | null
  readonly notAdjustedReason: string | null
}

export type AdjustingAction = PriceAction & ActionFactor

/** A close older than this is not "the close of the day before"; no exchange closes for so long. */
export const MAX_PRIOR_CLOSE_DAYS = 10

/** The method of adjusted prices. */
export const ADJUSTMENT_METHOD: Method = {
  summary:
    'adjusted_close = close × factor; factor = the product of the factors of the actions after the day.',
  section: 'adjusted-prices',
}

/**
 * The actions that `adjustment` concerns, newest ex-date first, each with its factor. On one ex-date splits come first, then
 * spin-offs, then dividends: the share that trades on that day is the one after the split, so the amounts of that day are
 * per new share. A dividend or spin-off is therefore compared with what the actions before it left of the close, and two
 * dividends of a day give 1 − (a + b) / close. `priorCloses` has the last close before each ex-date of a dividend.
 * Tiingo divides by the close of the ex-date instead, close / (close + amount), which differs by the move of that day times
 * the yield; test/domains/prices/tiingo-agreement.test.ts shows by how much.
 */
export function adjustingActions<Action extends PriceAction>(
  actions: readonly Action[],
  priorCloses: ReadonlyMap<IsoDate, PriorClose>,
  adjustment: Adjustment,
): readonly (Action & ActionFactor)[] {
  const days = [...groupBy(actions.filter(isConcerned(adjustment)), ({ exDate }) => exDate).values()]
  return days
    .toSorted(([a], [b]) => (a.exDate < b.exDate ? 1 : -1))
    .flatMap((day) => adjustDay(day, priorCloses.get(day[0].exDate) ?? null))
}

function isConcerned(adjustment: Adjustment): (action: PriceAction) => boolean {
  return ({ actionType }) =>
    adjustment === 'all' ||
    (adjustment === 'splits' && (actionType === 'split' || actionType === 'reverse_split'))
}

function adjustDay<Action extends PriceAction>(
  actions: readonly Action[],
  prior: PriorClose | null,
): readonly (Action & ActionFactor)[] {
  let soFar = ONE
  const inOrder = actions.toSorted(
    (a, b) => PRICED_ACTIONS.indexOf(a.actionType) - PRICED_ACTIONS.indexOf(b.actionType),
  )
  return inOrder.map((action) => {
    const found = factorOf(action, prior, soFar)
    if (typeof found === 'string') return { ...action, factor: null, notAdjustedReason: found }
    soFar = multiply(soFar, found)
    return { ...action, factor: found, notAdjustedReason: null }
  })
}

/** The factor of an action, or the reason why it has none. `soFar`: the product of the earlier factors of the day. */
function factorOf(action: PriceAction, prior: PriorClose | null, soFar: Fraction): Fraction | string {
  const { actionType, ratio, amount, currency } = action
  if (actionType === 'merger') return 'A merger has no factor.'
  if (actionType === 'spin_off')
    return ratio === null ? 'The value ratio of the spin-off is unknown.' : fractionOf(ratio)
  if (actionType !== 'dividend')
    return ratio === null ? 'The ratio of the split is unknown.' : invert(fractionOf(ratio))
  if (amount === null || currency === null) return 'The amount of the dividend is unknown.'
  if (prior === null) return `No close is known for the ${MAX_PRIOR_CLOSE_DAYS} days before the ex-date.`
  if (prior.currency !== currency)
    return `The dividend is in ${currency}, the close before it in ${prior.currency}.`
  const { numerator, denominator } = divide(fractionOf(amount), multiply(fractionOf(prior.close), soFar))
  return numerator < denominator
    ? { numerator: denominator - numerator, denominator }
    : 'The dividend is not below the close before it.'
}

/** The factor of a day's prices, and the actions behind it. */
export interface DayAdjustment {
  readonly factor: Fraction
  readonly actions: readonly AdjustingAction[]
}

/**
 * For each day the actions with a later ex-date and the product of their factors. Days are in ascending order, actions
 * newest first. Two days of a series have the same ratio of factors whatever day the series ends on, because it has only
 * the factors of the ex-dates between them.
 */
export function adjustDays(
  days: readonly IsoDate[],
  actions: readonly AdjustingAction[],
): readonly DayAdjustment[] {
  let now: DayAdjustment = { factor: ONE, actions: [] }
  const newestFirst = days.toReversed().map((day) => {
    const first = now.actions.length
    const end = actions.findIndex(({ exDate }, at) => at >= first && exDate <= day)
    const later = actions.slice(first, end === -1 ? undefined : end)
    const factor = later.reduce(
      (product, next) => (next.factor === null ? product : multiply(product, next.factor)),
      now.factor,
    )
    if (later.length > 0) now = { factor, actions: actions.slice(0, first + later.length) }
    return now
  })
  return newestFirst.toReversed()
}

export function fractionOf(text: DecimalText): Fraction {
  const value = decimal(text)
  const places = value.decimalPlaces()
  return {
    numerator: BigInt(value.times(new Decimal(10).pow(places)).toFixed(0)),
    denominator: 10n ** BigInt(places),
  }
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator }
}

function divide(a: Fraction, b: Fraction): Fraction {
  return multiply(a, invert(b))
}

function invert({ numerator, denominator }: Fraction): Fraction {
  return { numerator: denominator, denominator: numerator }
}

/** More bits than the significand of a double has. */
const NUMBER_BITS = 80

/** The double next to the fraction, only for a JSON number of a response. */
export function fractionToJsonNumber({ numerator, denominator }: Fraction): number {
  const shift = NUMBER_BITS - bitsOf(numerator) + bitsOf(denominator)
  const scaled =
    shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift))
  return Number(scaled) * 2 ** -shift
}

/** A price times a factor, rounded once, only for a response. Null without a factor. */
export function adjustedFigure(price: DecimalText, factor: Fraction | null): number | null {
  return factor === null ? null : fractionToJsonNumber(multiply(fractionOf(price), factor))
}

/** `price_type` in `meta`. */
export const PRICE_TYPES: Readonly<Record<Adjustment, string>> = {
  none: 'close_unadjusted',
  splits: 'close_adjusted_for_splits',
  all: 'close_adjusted_for_splits_and_dividends',
}

/** At most three too many. Base 16 takes linear time. */
function bitsOf(value: bigint): number {
  return 4 * value.toString(16).length
}
