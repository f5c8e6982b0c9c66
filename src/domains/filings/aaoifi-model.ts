import { type Decimal, toJsonNumber } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import {
  type AaoifiContent,
  isBelowThresholds,
  RATIO_NAMES,
  type RatioInput,
  type RatioName,
  type RatioReason,
} from '../analysis/model.js'
import type { Figure, Figures } from './figures/figures-model.js'
import { averageMarketCap, type MarketCap, type MarketCapInputs } from './market-cap-model.js'
import type { StatedFact } from './model.js'

/** Decimal places of a ratio. */
const DECIMALS = 6

/** Numerator or denominator of a ratio. */
interface Side {
  /** Null if missing. */
  readonly value: Decimal | null
  readonly inputs: readonly Omit<RatioInput, 'ratio'>[]
  /** Why the value is missing. Null if it is not. */
  readonly reason: string | null
}

/** The inputs of the ratios. */
export interface AaoifiInputs {
  readonly figures: Figures
  readonly marketCap: MarketCap
  readonly periodEnd: IsoDate
}

/** The figures of a period, the market capitalisation at its end, and the ratios computed from both. */
export interface Valuation {
  readonly figures: Figures
  readonly marketCap: MarketCap
  readonly aaoifi: AaoifiContent
}

/** Computes the valuation of a period from its figures. `inputs` is null without matching prices. */
export function computeValuation(
  figures: Figures,
  periodEnd: IsoDate,
  inputs: MarketCapInputs | null,
): Valuation {
  const marketCap = averageMarketCap(periodEnd, inputs)
  return { figures, marketCap, aaoifi: computeAaoifiRatios({ figures, marketCap, periodEnd }) }
}

/**
 * Computes the three AAOIFI ratios, which are a measurement and never a ruling. A ratio is null if an input is missing, and
 * `reasons` names the input. Cash includes short-term investments if they are stated, because these are deposits and
 * securities that bear interest. The market capitalisation is the average of 24 months, otherwise the public float of the filing.
 */
export function computeAaoifiRatios({ figures, marketCap, periodEnd }: AaoifiInputs): AaoifiContent {
  const capital = capitalSide(marketCap, figures.public_float_usd, periodEnd)
  const sides: Readonly<Record<RatioName, readonly [Side, Side]>> = {
    debt_to_market_cap: [figureSide(figures.total_debt_usd), capital],
    cash_to_market_cap: [
      sumSide(figures.cash_and_equivalents_usd, figures.short_term_investments_usd),
      capital,
    ],
    interest_income_to_revenue: [figureSide(figures.interest_income_usd), figureSide(figures.revenue_usd)],
  }
  const ratio = (name: RatioName) => ratioOf(...sides[name])
  const ratios = {
    debt_to_market_cap: ratio('debt_to_market_cap'),
    cash_to_market_cap: ratio('cash_to_market_cap'),
    interest_income_to_revenue: ratio('interest_income_to_revenue'),
  }
  return {
    ...ratios,
    below_thresholds: isBelowThresholds(ratios),
    inputs: RATIO_NAMES.flatMap((name) => inputsOf(name, sides[name])),
    reasons: RATIO_NAMES.flatMap((name) => reasonsOf(name, sides[name])),
  }
}

function ratioOf(above: Side, below: Side): number | null {
  if (above.value === null || below.value === null || below.value.lte(0)) return null
  return toJsonNumber(above.value.dividedBy(below.value).toDecimalPlaces(DECIMALS))
}

function inputsOf(ratio: RatioName, sides: readonly Side[]): readonly RatioInput[] {
  return sides.flatMap(({ inputs }) => inputs.map((input) => ({ ratio, ...input })))
}

function reasonsOf(ratio: RatioName, [above, below]: readonly [Side, Side]): readonly RatioReason[] {
  const reasons = [above.reason, below.reason].filter((reason) => reason !== null)
  if (below.value?.lte(0)) reasons.push(`${below.inputs[0]?.figure} is not above zero`)
  return reasons.map((reason) => ({ ratio, reason }))
}

function figureSide({ name, unit, value, facts, subtracted, reason }: Figure): Side {
  if (value === null) {
    const nothing = { value: null, filing: null, period: null, tag: null, form: null, unit }
    return { value, inputs: [{ figure: name, ...nothing }], reason }
  }
  const toInput = (fact: StatedFact, sign: 1 | -1) => ({
    figure: name,
    value: sign * Number(fact.value),
    filing: fact.accession,
    period: fact.periodStart === null ? fact.periodEnd : `${fact.periodStart} to ${fact.periodEnd}`,
    tag: `${fact.taxonomy}:${fact.tag}`,
    form: fact.form,
    unit,
  })
  const inputs = [...facts.map((fact) => toInput(fact, 1)), ...subtracted.map((fact) => toInput(fact, -1))]
  return { value, inputs, reason }
}

/** The sum of two figures. The second one counts as zero if the filings state nothing of it. */
function sumSide(first: Figure, second: Figure): Side {
  const side = figureSide(first)
  if (side.value === null || second.isUnstated) return side
  const other = figureSide(second)
  return {
    value: other.value === null ? null : side.value.plus(other.value),
    inputs: [...side.inputs, ...other.inputs],
    reason: other.reason,
  }
}

function capitalSide({ average, period, reason }: MarketCap, publicFloat: Figure, periodEnd: IsoDate): Side {
  if (average !== null) {
    const input = { figure: 'market_cap_avg_24m_usd', value: toJsonNumber(roundedUsd(average)), period }
    const computed = { filing: null, tag: null, form: null, unit: 'USD' }
    return { value: average, inputs: [{ ...input, ...computed }], reason: null }
  }
  if (publicFloat.value !== null) return figureSide(publicFloat)
  const side = figureSide(publicFloat)
  const why = `no market capitalisation for ${periodEnd}: ${reason}; and ${publicFloat.reason}`
  return { ...side, reason: why }
}

/** A market capitalisation rounded to cents. */
export function roundedUsd(value: Decimal): Decimal {
  return value.toDecimalPlaces(2)
}
