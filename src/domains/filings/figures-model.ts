import { Decimal, decimal } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import {
  FIGURE_NAMES,
  FIGURE_RULES,
  type FigureName,
  type FigureRule,
  type FigureUnit,
  type Tag,
  type TagChain,
  tagsOf,
  tagText,
} from './figure-rules-model.js'
import type { FiledFact } from './model.js'

/** A fact of an annual report. */
export type StatedFact = Omit<FiledFact, 'cik'>

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
}

export type Figures = Readonly<Record<FigureName, Figure>>

/**
 * The figures of the fiscal year that ends on that day. `facts` has one fact per tag and unit, from the latest filing that
 * states it.
 */
export function computeFigures(facts: readonly StatedFact[], periodEnd: IsoDate): Figures {
  const byTag = new Map(facts.map((fact) => [keyText(fact.unit, `${fact.taxonomy}:${fact.tag}`), fact]))
  const figures = FIGURE_NAMES.map((name) => {
    const figure = figureOf(name, byTag, periodEnd)
    const otherwise = figure.reason === null ? null : foreignText(FIGURE_RULES[name], facts)
    return [name, otherwise === null ? figure : { ...figure, reason: otherwise }]
  })
  return Object.fromEntries(figures) as Figures // safe: one entry per name
}

function figureOf(name: FigureName, byTag: ReadonlyMap<string, StatedFact>, periodEnd: IsoDate): Figure {
  const rule: FigureRule = FIGURE_RULES[name]
  const { unit, time } = rule
  const statedTag = (tag: Tag): StatedFact | null => {
    const fact = byTag.get(keyText(unit, tagText(tag)))
    return fact !== undefined && (fact.periodStart !== null) === (time === 'year') ? fact : null
  }
  const facts = factsOf(rule, (chain) => findFirstStated(chain, statedTag))
  if (facts.length === 0) return { name, unit, value: null, facts, reason: missingText(rule, periodEnd) }
  const partial = partText(rule, facts, statedTag)
  if (partial !== null) return { name, unit, value: null, facts: [], reason: partial }
  const value = facts.reduce((sum, fact) => sum.plus(decimal(fact.value)), new Decimal(0))
  if (time === 'cover' && value.lte(0)) {
    const reason = `the cover page states ${value.toFixed()} as ${facts[0]?.taxonomy}:${facts[0]?.tag}`
    return { name, unit, value: null, facts: [], reason }
  }
  return { name, unit, value, facts, reason: null }
}

/** The fact of the first stated link of the chain. For a group, the largest fact. */
function findFirstStated(chain: TagChain, statedTag: (tag: Tag) => StatedFact | null): StatedFact | null {
  for (const link of chain) {
    const found = ('largestOf' in link ? link.largestOf : [link]).flatMap((tag) => statedTag(tag) ?? [])
    const [first, ...others] = found
    if (first !== undefined)
      return others.reduce((most, fact) => (decimal(fact.value).gt(most.value) ? fact : most), first)
  }
  return null
}

/** The reason if a fact is only a part of the figure at this company. Null if it is the total. */
function partText(
  { parts }: FigureRule,
  facts: readonly StatedFact[],
  statedTag: (tag: Tag) => StatedFact | null,
): string | null {
  const tags = new Set(parts?.tags.map(tagText))
  const part = facts.find(({ taxonomy, tag }) => tags.has(`${taxonomy}:${tag}`))
  if (part === undefined) return null
  const other = parts?.beside.map(statedTag).find((fact) => fact !== null && !decimal(fact.value).isZero())
  if (!other) return null
  return `the filings state ${part.taxonomy}:${part.tag}, which leaves out what they state as ${other.taxonomy}:${other.tag}, and no total`
}

function factsOf(
  { ways }: FigureRule,
  stated: (chain: TagChain) => StatedFact | null,
): readonly StatedFact[] {
  for (const { required, optional } of ways) {
    const found = required.map(stated)
    if (found.every((fact) => fact !== null))
      return [...found, ...optional.flatMap((chain) => stated(chain) ?? [])]
  }
  return []
}

/** The reason if a figure is stated only in another currency than USD, otherwise null. */
function foreignText({ ways, unit, time }: FigureRule, facts: readonly StatedFact[]): string | null {
  if (unit === 'shares') return null
  const tags = new Set(ways.flatMap(({ required }) => required.flatMap(tagsOf).map(tagText)))
  const foreign = facts.find(
    (fact) =>
      fact.unit !== unit &&
      fact.unit.slice('USD'.length) === unit.slice('USD'.length) &&
      (fact.periodStart !== null) === (time === 'year') &&
      tags.has(`${fact.taxonomy}:${fact.tag}`),
  )
  if (foreign === undefined) return null
  return `the filings state ${foreign.taxonomy}:${foreign.tag} in ${foreign.unit}, not in ${unit}: nothing is converted`
}

const TIMES = {
  year: (end: IsoDate) => `for the fiscal year to ${end}`,
  end: (end: IsoDate) => `at ${end}`,
  cover: (end: IsoDate) => `on the cover page of the report to ${end}`,
} as const

function missingText({ ways, unit, time }: FigureRule, periodEnd: IsoDate): string {
  const texts = ways.map(({ required }) =>
    required.map((chain) => tagsOf(chain).map(tagText).join(' or ')).join(' together with '),
  )
  return `the filings do not state ${texts.join(', or ')}, in ${unit}, ${TIMES[time](periodEnd)}`
}

function keyText(unit: string, tag: string): string {
  return `${unit} ${tag}`
}
