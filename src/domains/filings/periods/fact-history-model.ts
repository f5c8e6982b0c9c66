import { groupBy } from '../../../core/group-by.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { daysBetween, type IsoDate } from '../../../core/time.js'
import type { FigureRule } from '../figures/figure-rule-model.js'
import { computeFigure, type FigurePeriod, type FigureValue, tagOfFact } from '../figures/figures-model.js'
import type { StatedFact } from '../model.js'
import { type Duration, durationOf } from './durations-model.js'
import { findMixedBasis, findRestatements, type MixedBasis, readCopies } from './restatements-model.js'

/** Days by which neighbouring periods of weeks may overlap or be apart, when filings name the ends of months. */
const MAX_DAYS_APART = 7

/** An amount of a period, and everything that the filings state for this period. */
export interface PeriodAmount {
  readonly figure: FigureValue
  /** One fact per tag and unit. Empty for an amount that is computed. */
  readonly stated: readonly StatedFact[]
}

/** What the filings of a company state for periods, with every copy of an amount. */
export interface FactHistory {
  /** The amount of that duration that ends on the day, as the filings state it, from the latest copies. */
  readonly amountTo: (rule: FigureRule, duration: Duration, end: IsoDate) => PeriodAmount
  /** The amount of that duration that starts on the day; null if the filings state nothing for this period. */
  readonly amountFrom: (rule: FigureRule, duration: Duration, start: IsoDate) => PeriodAmount | null
  /** The last day of a period of one of these durations that ends on the day or at most seven days from it, or null. */
  readonly findEnd: (durations: readonly Duration[], day: IsoDate) => IsoDate | null
  /** Two of these amounts that have different bases, or null. */
  readonly findMixed: (facts: readonly StatedFact[]) => MixedBasis | null
}

const SPANS: Readonly<Record<Duration, string>> = {
  quarter: 'quarter',
  half: 'six months',
  nine_months: 'nine months',
  year: 'fiscal year',
}

/** `facts` has every copy of the amounts of periods. */
export function readHistory(facts: readonly StatedFact[]): FactHistory {
  const copies = groupBy(facts.toSorted(inOrderOfFiling), copiesKey)
  const periods = [...copies.values()].flatMap((ofPeriod) => {
    const latest = ofPeriod.at(-1) ?? ofPeriod[0]
    const duration = durationOf(latest)
    return duration === null ? [] : [{ latest, duration, ofPeriod }]
  })
  const byEnd = groupBy(periods, ({ duration, latest }) => `${duration} ${latest.periodEnd}`)
  const byStart = groupBy(periods, ({ duration, latest }) => `${duration} ${latest.periodStart}`)
  const byDuration = groupBy(periods, ({ duration }) => duration)
  const ends = new Map(
    [...byDuration].map(([duration, found]) => [
      duration,
      new Set(found.map(({ latest }) => latest.periodEnd)),
    ]),
  )
  const byTag = groupBy(periods, ({ latest }) => tagKey(latest))
  const restatementsOf = memoizeByObject((ofTag: readonly { readonly ofPeriod: readonly StatedFact[] }[]) =>
    findRestatements(ofTag.map(({ ofPeriod }) => ofPeriod)),
  )
  const readOnce = memoizeByObject(readCopies)
  const latestOf = (found: ReturnType<typeof byEnd.get>) => (found ?? []).map(({ latest }) => latest)
  const amountsOf = memoizeByObject((_rule: FigureRule) => new Map<string, PeriodAmount>())
  const toAmount = (rule: FigureRule, key: string, facts: readonly StatedFact[], period: FigurePeriod) => {
    const known = amountsOf(rule).get(key)
    if (known !== undefined) return known
    const stated = newestPerTag(facts)
    const amount = { figure: computeFigure(rule, stated, period), stated }
    amountsOf(rule).set(key, amount)
    return amount
  }
  return {
    amountTo: (rule, duration, end) => {
      const key = `${duration} ${end}`
      return toAmount(rule, `to ${key}`, latestOf(byEnd.get(key)), { span: SPANS[duration], end })
    },
    amountFrom: (rule, duration, start) => {
      const key = `${duration} ${start}`
      const facts = latestOf(byStart.get(key))
      const end = facts.at(-1)?.periodEnd
      return end === undefined ? null : toAmount(rule, `from ${key}`, facts, { span: SPANS[duration], end })
    },
    findEnd: (durations, day) => {
      const distance = (end: IsoDate) => Math.abs(daysBetween(end, day))
      const near = durations
        .flatMap((duration) => [...(ends.get(duration) ?? [])])
        .filter((end) => distance(end) <= MAX_DAYS_APART)
      return near.toSorted((a, b) => distance(a) - distance(b))[0] ?? null
    },
    findMixed: (used) => {
      for (const [tag, ofTag] of groupBy(used, tagKey)) {
        const known = ofTag.flatMap((fact) => readOnce(copies.get(copiesKey(fact)) ?? []) ?? [])
        const mixed = findMixedBasis(known, restatementsOf(byTag.get(tag) ?? []))
        if (mixed !== null) return mixed
      }
      return null
    },
  }
}

/** Of several periods of one tag, such as those whose last day differs by a day, that of the latest filing. */
function newestPerTag(facts: readonly StatedFact[]): readonly StatedFact[] {
  return [...new Map(facts.toSorted(inOrderOfFiling).map((fact) => [tagKey(fact), fact])).values()]
}

function inOrderOfFiling(a: StatedFact, b: StatedFact): number {
  return compareTexts(a.filed, b.filed) || compareTexts(a.accession, b.accession)
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function tagKey(fact: StatedFact): string {
  return `${fact.unit} ${tagOfFact(fact)}`
}

function copiesKey(fact: StatedFact): string {
  return `${tagKey(fact)} ${fact.periodStart} ${fact.periodEnd}`
}
