import { Decimal, type DecimalText, decimal } from '../../../core/decimal.js'
import type { IsoDate } from '../../../core/time.js'
import type { StatedFact } from '../model.js'
import { implausibleText, isPlausibleCount } from '../share-counts-model.js'
import { combineParts, type StatedPart } from './figure-parts-model.js'
import {
  type FigureRule,
  type FigureUnit,
  type Tag,
  type TagChain,
  tagsOf,
  tagsOfRule,
  tagText,
} from './figure-rule-model.js'
import { FIGURE_NAMES, FIGURE_RULES, type FigureName } from './figure-rules-model.js'

/** What is known of a figure for a period. */
export interface FigureValue {
  readonly unit: FigureUnit
  /** The sum of the facts less the subtracted ones. Null if not stated. */
  readonly value: Decimal | null
  /** The facts that the value adds. Empty without a value. */
  readonly facts: readonly StatedFact[]
  /** The facts that the value subtracts. Empty for a figure that the filings state. */
  readonly subtracted: readonly StatedFact[]
  /** Why the value is null. Null if it is not. */
  readonly reason: string | null
  /** What is to be known beside the value, such as quarters that do not add up to the year. */
  readonly note: string | null
  /** Whether the filings state nothing of the figure, in no currency. */
  readonly isUnstated: boolean
}

/** A figure of a period with the facts behind it. */
export interface Figure extends FigureValue {
  readonly name: FigureName
}

export type Figures = Readonly<Record<FigureName, Figure>>

/** A period in words and its last day. */
export interface FigurePeriod {
  /** E.g. fiscal year. */
  readonly span: string
  readonly end: IsoDate
}

/**
 * The figures of the fiscal year that ends on that day. `facts` has one fact per tag and unit, from the latest filing that
 * states it. `shareCountsBefore` has the shares outstanding on the cover pages before, the newest last.
 */
export function computeFigures(
  facts: readonly StatedFact[],
  periodEnd: IsoDate,
  shareCountsBefore: readonly DecimalText[] = [],
): Figures {
  const period = { span: 'fiscal year', end: periodEnd }
  return toFigures((rule) => computeFigure(rule, facts, period), shareCountsBefore)
}

/** Every figure by its rule. A share count that cannot be right is null; see `isPlausibleCount`. */
export function toFigures(
  compute: (rule: FigureRule) => FigureValue,
  shareCountsBefore: readonly DecimalText[],
): Figures {
  const figures = FIGURE_NAMES.map((name) => [name, { name, ...compute(FIGURE_RULES[name]) }])
  const computed = Object.fromEntries(figures) as Figures // safe: one entry per name
  const shares = withoutImplausible(computed.shares_outstanding, shareCountsBefore)
  return { ...computed, shares_outstanding: shares }
}

function withoutImplausible(figure: Figure, before: readonly DecimalText[]): Figure {
  const [count] = figure.facts
  if (count === undefined || isPlausibleCount(count.value, before)) return figure
  return { ...figure, value: null, facts: [], reason: implausibleText(count.value, before) }
}

/** A figure without a value, and why. */
export function missingFigure(unit: FigureUnit, reason: string, isUnstated = false): FigureValue {
  return { unit, value: null, facts: [], subtracted: [], reason, note: null, isUnstated }
}

/** A figure as the filings state it. `facts` has one fact per tag and unit. */
export function computeFigure(
  rule: FigureRule,
  facts: readonly StatedFact[],
  period: FigurePeriod,
): FigureValue {
  const { unit, time } = rule
  const byTag = new Map(facts.map((fact) => [keyText(fact.unit, tagOfFact(fact)), fact]))
  const statedTag = (tag: Tag): StatedFact | null => {
    const fact = byTag.get(keyText(unit, tagText(tag)))
    return fact !== undefined && (fact.periodStart !== null) === (time === 'period') ? fact : null
  }
  const { used, leftOut } = combineParts(rule, ...statedParts(rule, statedTag))
  const usedFacts = used.map(({ fact }) => fact)
  const other = leftOut?.fact ?? findOutside(rule, usedFacts, statedTag)
  if (other !== null) return missingFigure(unit, incompleteText(usedFacts, other))
  const isComplete = rule.required.every((list) =>
    used.some(({ parts }) => list.some((part) => parts.includes(part))),
  )
  if (!isComplete) {
    const foreign = foreignText(rule, facts)
    return missingFigure(unit, foreign ?? missingText(rule, period), foreign === null && used.length === 0)
  }
  const value = sumOfFacts(usedFacts)
  if (time === 'cover' && value.lte(0))
    return missingFigure(
      unit,
      `the cover page states ${value.toFixed()} as ${usedFacts.map(tagOfFact).join()}`,
    )
  return { unit, value, facts: usedFacts, subtracted: [], reason: null, note: null, isUnstated: false }
}

export function sumOfFacts(facts: readonly StatedFact[]): Decimal {
  return facts.reduce((sum, fact) => sum.plus(decimal(fact.value)), new Decimal(0))
}

/** The stated sources and the stated pieces of a figure. */
function statedParts(
  { sources, pieces = [] }: FigureRule,
  statedTag: (tag: Tag) => StatedFact | null,
): readonly [sources: readonly StatedPart[], pieces: readonly StatedPart[]] {
  const part = (fact: StatedFact | null, more: Omit<StatedPart, 'fact' | 'value'>) =>
    fact === null ? [] : [{ ...more, fact, value: decimal(fact.value) }]
  return [
    sources.flatMap(({ chain, parts }) => part(findFirstStated(chain, statedTag), { parts, isWider: false })),
    pieces.flatMap(({ tags, parts, isWider = false }) =>
      tags.flatMap((tag) => part(statedTag(tag), { parts, isWider })),
    ),
  ]
}

/** The fact of the first stated link of the chain. For a group, the largest fact. */
function findFirstStated(chain: TagChain, statedTag: (tag: Tag) => StatedFact | null): StatedFact | null {
  for (const link of chain) {
    const alternatives = 'largestOf' in link ? link.largestOf : [[link]]
    const found = alternatives.flatMap((tags) => tags.flatMap((tag) => statedTag(tag) ?? []).slice(0, 1))
    const [first, ...others] = found
    if (first !== undefined)
      return others.reduce((most, fact) => (decimal(fact.value).gt(most.value) ? fact : most), first)
  }
  return null
}

/** An amount beside which a used tag is only a part. Null without one. */
function findOutside(
  { exclusive }: FigureRule,
  facts: readonly StatedFact[],
  statedTag: (tag: Tag) => StatedFact | null,
): StatedFact | null {
  const tags = new Set(exclusive?.tags.map(tagText))
  if (!facts.some((fact) => tags.has(tagOfFact(fact)))) return null
  const outside = exclusive?.beside.map(statedTag)
  return outside?.find((fact) => fact !== null && !decimal(fact.value).isZero()) ?? null
}

function incompleteText(used: readonly StatedFact[], other: StatedFact): string {
  if (used.length === 0)
    return `the filings state ${tagOfFact(other)}, which is only a part of the figure, and no total`
  const names = used.map(tagOfFact).join(' and ')
  return `the filings state ${names}, which leaves out what they state as ${tagOfFact(other)}, and no total`
}

/** The reason if a figure is stated only in another currency than USD, otherwise null. */
function foreignText(rule: FigureRule, facts: readonly StatedFact[]): string | null {
  const { unit, time } = rule
  if (unit === 'shares') return null
  const isForeign = (fact: StatedFact) =>
    fact.unit !== unit &&
    fact.unit.slice('USD'.length) === unit.slice('USD'.length) &&
    (fact.periodStart !== null) === (time === 'period')
  const byTag = new Map(facts.filter(isForeign).map((fact) => [tagOfFact(fact), fact]))
  const foreign = tagsOfRule(rule)
    .map((tag) => byTag.get(tagText(tag)))
    .find((fact) => fact !== undefined)
  if (foreign === undefined) return null
  return `the filings state ${tagOfFact(foreign)} in ${foreign.unit}, not in ${unit}: nothing is converted`
}

const TIMES = {
  period: ({ span, end }: FigurePeriod) => `for the ${span} to ${end}`,
  end: ({ end }: FigurePeriod) => `at ${end}`,
  cover: ({ end }: FigurePeriod) => `on the cover page of the report to ${end}`,
} as const

function missingText({ required, sources, unit, time }: FigureRule, period: FigurePeriod): string {
  const texts = required.map((list) =>
    sources
      .filter(({ parts }) => parts.some((part) => list.includes(part)))
      .flatMap(({ chain }) => tagsOf(chain).map(tagText))
      .join(' or '),
  )
  return `the filings do not state ${texts.join(' together with ')}, in ${unit}, ${TIMES[time](period)}`
}

/** E.g. us-gaap:Revenues. */
export function tagOfFact({ taxonomy, tag }: StatedFact): string {
  return `${taxonomy}:${tag}`
}

function keyText(unit: string, tag: string): string {
  return `${unit} ${tag}`
}
