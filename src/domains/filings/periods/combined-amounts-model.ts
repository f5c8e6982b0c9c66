import { Decimal } from '../../../core/decimal.js'
import { addDays, type IsoDate } from '../../../core/time.js'
import type { FigureRule } from '../figures/figure-rule-model.js'
import { type FigureValue, missingFigure, sumOfFacts, tagOfFact } from '../figures/figures-model.js'
import type { StatedFact } from '../model.js'
import { daysOfFact } from './durations-model.js'
import type { FactHistory, PeriodAmount } from './fact-history-model.js'
import type { MixedBasis } from './restatements-model.js'

/**
 * The sum of `added` less `subtracted`. Null if one of them is null, if they have different tags, or if one was restated and
 * another one was not.
 */
export function combineAmounts(
  rule: FigureRule,
  added: readonly PeriodAmount[],
  subtracted: readonly PeriodAmount[],
  history: FactHistory,
): FigureValue {
  const missing = [...added, ...subtracted].find(({ figure }) => figure.value === null)
  if (missing !== undefined)
    return missingFigure(rule.unit, missing.figure.reason ?? '', missing.figure.isUnstated)
  const figures = alignTags([...added, ...subtracted])
  if (typeof figures === 'string') return missingFigure(rule.unit, figures)
  const plus = figures.slice(0, added.length)
  const minus = figures.slice(added.length)
  const facts = [...plus.flatMap((figure) => figure.facts), ...minus.flatMap((figure) => figure.subtracted)]
  const less = [...plus.flatMap((figure) => figure.subtracted), ...minus.flatMap((figure) => figure.facts)]
  const mixed = history.findMixed([...facts, ...less])
  if (mixed !== null) return missingFigure(rule.unit, mixedText(mixed))
  const value = sumOfFacts(facts).minus(sumOfFacts(less))
  return { unit: rule.unit, value, facts, subtracted: less, reason: null, note: null, isUnstated: false }
}

/**
 * The amounts by the same tags. An amount of other tags is stated by these if the same period has the same sum by them, such as
 * when a company replaces a tag. Otherwise the text of the difference.
 */
function alignTags(amounts: readonly PeriodAmount[]): readonly FigureValue[] | string {
  const sets = new Map(amounts.map(({ figure }) => [tagsText(figure.facts), figure.facts.map(tagOfFact)]))
  for (const [text, tags] of sets) {
    const aligned = amounts.flatMap(({ figure, stated }) => {
      if (tagsText(figure.facts) === text) return figure
      const facts = stated.filter((fact) => fact.unit === figure.unit && tags.includes(tagOfFact(fact)))
      const isSame = tagsText(facts) === text && figure.value?.eq(sumOfFacts(facts)) === true
      return isSame ? { ...figure, facts } : []
    })
    if (aligned.length === amounts.length) return aligned
  }
  const texts = amounts.map(({ figure }) => `${tagsText(figure.facts)} for ${periodsText(figure.facts)}`)
  return `the filings state ${[...new Set(texts)].join(', but ')}: amounts of different tags are not combined`
}

function tagsText(facts: readonly StatedFact[]): string {
  return [...new Set(facts.map(tagOfFact))].toSorted().join(' and ')
}

function periodsText(facts: readonly StatedFact[]): string {
  return [...new Set(facts.map(periodText))].join(' and ')
}

/** E.g. the 364 days to 2025-09-27 in 0000320193-25-000079. */
function periodText(fact: StatedFact): string {
  return `the ${daysOfFact(fact)} days to ${fact.periodEnd} in ${fact.accession}`
}

function mixedText({ restatedOn, before, after }: MixedBasis): string {
  const filings = ({ latest }: MixedBasis['before']) => `${periodText(latest)}, filed on ${latest.filed}`
  return (
    `the filings restate ${tagOfFact(after.latest)} from ${restatedOn} on: ${filings(after)}, is restated, ` +
    `and ${filings(before)}, is not`
  )
}

/** The first day of the period of an amount. Null without a value and for a figure on a single day. */
export function startOfAmount({ facts, subtracted }: FigureValue): IsoDate | null {
  const [first] = facts.flatMap(({ periodStart }) => periodStart ?? []).toSorted()
  if (first === undefined) return null
  const [end] = subtracted.flatMap((fact) => (fact.periodStart === first ? fact.periodEnd : [])).toSorted()
  return end === undefined ? first : addDays(end, 1)
}

/** The common first day of stated amounts. Null if they have several. */
export function commonStart({ facts }: FigureValue): IsoDate | null {
  const [start, ...others] = new Set(facts.map(({ periodStart }) => periodStart))
  return others.length > 0 ? null : (start ?? null)
}

/** How an amount is computed from those of other periods. Null if the filings state it. */
export function calculationText({ value, facts, subtracted }: FigureValue): string | null {
  const added = [...new Set(facts.map(periodText))]
  if (
    value === null ||
    (subtracted.length === 0 && new Set(facts.map(({ periodEnd }) => periodEnd)).size < 2)
  )
    return null
  const less = [...new Set(subtracted.map(periodText))]
  return [added.join(' plus '), ...less].join(' minus ')
}

/** The sum of values; the caller has checked that each one has a value. */
export function sumOfAmounts(figures: readonly FigureValue[]): Decimal {
  return figures.reduce((sum, { value }) => sum.plus(value ?? 0), new Decimal(0))
}
