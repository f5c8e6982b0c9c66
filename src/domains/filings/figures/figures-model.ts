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

/** A figure of a fiscal year with the facts behind it. */
export interface Figure {
  readonly name: FigureName
  readonly unit: FigureUnit
  /** The sum of the facts. Null if not stated. */
  readonly value: Decimal | null
  /** The facts that the value is the sum of. Empty without a value. */
  readonly facts: readonly StatedFact[]
  /** Why the value is null. Null if it is not. */
  readonly reason: string | null
  /** Whether the filings state nothing of the figure, in no currency. */
  readonly isUnstated: boolean
}

export type Figures = Readonly<Record<FigureName, Figure>>

/**
 * The figures of the fiscal year that ends on that day. `facts` has one fact per tag and unit, from the latest filing that
 * states it. `shareCountsBefore` has the shares outstanding on the cover pages before, the newest last.
 */
export function computeFigures(
  facts: readonly StatedFact[],
  periodEnd: IsoDate,
  shareCountsBefore: readonly DecimalText[] = [],
): Figures {
  const byTag = new Map(facts.map((fact) => [keyText(fact.unit, nameOf(fact)), fact]))
  const figures = FIGURE_NAMES.map((name) => [name, figureOf(name, byTag, facts, periodEnd)])
  const computed = Object.fromEntries(figures) as Figures // safe: one entry per name
  const shares = withoutImplausible(computed.shares_outstanding, shareCountsBefore)
  return { ...computed, shares_outstanding: shares }
}

function withoutImplausible(figure: Figure, before: readonly DecimalText[]): Figure {
  const [count] = figure.facts
  if (count === undefined || isPlausibleCount(count.value, before)) return figure
  return { ...figure, value: null, facts: [], reason: implausibleText(count.value, before) }
}

function figureOf(
  name: FigureName,
  byTag: ReadonlyMap<string, StatedFact>,
  all: readonly StatedFact[],
  periodEnd: IsoDate,
): Figure {
  const rule: FigureRule = FIGURE_RULES[name]
  const { unit, time } = rule
  const missing = (reason: string, isUnstated = false): Figure => ({
    ...{ name, unit, value: null, facts: [], reason, isUnstated },
  })
  const statedTag = (tag: Tag): StatedFact | null => {
    const fact = byTag.get(keyText(unit, tagText(tag)))
    return fact !== undefined && (fact.periodStart !== null) === (time === 'year') ? fact : null
  }
  const { used, leftOut } = combineParts(rule, ...statedParts(rule, statedTag))
  const facts = used.map(({ fact }) => fact)
  const other = leftOut?.fact ?? findOutside(rule, facts, statedTag)
  if (other !== null) return missing(incompleteText(facts, other))
  const isComplete = rule.required.every((list) =>
    used.some(({ parts }) => list.some((part) => parts.includes(part))),
  )
  if (!isComplete) {
    const foreign = foreignText(rule, all)
    return missing(foreign ?? missingText(rule, periodEnd), foreign === null && used.length === 0)
  }
  const value = facts.reduce((sum, fact) => sum.plus(decimal(fact.value)), new Decimal(0))
  if (time === 'cover' && value.lte(0))
    return missing(`the cover page states ${value.toFixed()} as ${facts.map(nameOf).join()}`)
  return { name, unit, value, facts, reason: null, isUnstated: false }
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
  if (!facts.some((fact) => tags.has(nameOf(fact)))) return null
  const outside = exclusive?.beside.map(statedTag)
  return outside?.find((fact) => fact !== null && !decimal(fact.value).isZero()) ?? null
}

function incompleteText(used: readonly StatedFact[], other: StatedFact): string {
  if (used.length === 0)
    return `the filings state ${nameOf(other)}, which is only a part of the figure, and no total`
  const names = used.map(nameOf).join(' and ')
  return `the filings state ${names}, which leaves out what they state as ${nameOf(other)}, and no total`
}

/** The reason if a figure is stated only in another currency than USD, otherwise null. */
function foreignText(rule: FigureRule, facts: readonly StatedFact[]): string | null {
  const { unit, time } = rule
  if (unit === 'shares') return null
  const isForeign = (fact: StatedFact) =>
    fact.unit !== unit &&
    fact.unit.slice('USD'.length) === unit.slice('USD'.length) &&
    (fact.periodStart !== null) === (time === 'year')
  const byTag = new Map(facts.filter(isForeign).map((fact) => [nameOf(fact), fact]))
  const foreign = tagsOfRule(rule)
    .map((tag) => byTag.get(tagText(tag)))
    .find((fact) => fact !== undefined)
  if (foreign === undefined) return null
  return `the filings state ${nameOf(foreign)} in ${foreign.unit}, not in ${unit}: nothing is converted`
}

const TIMES = {
  year: (end: IsoDate) => `for the fiscal year to ${end}`,
  end: (end: IsoDate) => `at ${end}`,
  cover: (end: IsoDate) => `on the cover page of the report to ${end}`,
} as const

function missingText({ required, sources, unit, time }: FigureRule, periodEnd: IsoDate): string {
  const texts = required.map((list) =>
    sources
      .filter(({ parts }) => parts.some((part) => list.includes(part)))
      .flatMap(({ chain }) => tagsOf(chain).map(tagText))
      .join(' or '),
  )
  return `the filings do not state ${texts.join(' together with ')}, in ${unit}, ${TIMES[time](periodEnd)}`
}

function nameOf({ taxonomy, tag }: StatedFact): string {
  return `${taxonomy}:${tag}`
}

function keyText(unit: string, tag: string): string {
  return `${unit} ${tag}`
}
