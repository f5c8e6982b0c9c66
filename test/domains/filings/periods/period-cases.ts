import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import type { DecimalText } from '../../../../src/core/decimal.js'
import { type IsoDate, parseIsoDate } from '../../../../src/core/time.js'
import { gaap, oneOf } from '../../../../src/domains/filings/figures/figure-rule-model.js'
import { FIGURE_RULES, type FigureName } from '../../../../src/domains/filings/figures/figure-rules-model.js'
import type { FigureValue } from '../../../../src/domains/filings/figures/figures-model.js'
import { ANNUAL_FORMS, type StatedFact } from '../../../../src/domains/filings/model.js'
import { readHistory } from '../../../../src/domains/filings/periods/fact-history-model.js'
import {
  computeQuarter,
  computeTrailing,
} from '../../../../src/domains/filings/periods/period-figures-model.js'

export const toDay = (text: string): IsoDate => parseIsoDate(text) ?? expect.fail(`${text} is no day`)

/** A fact of the lists of companyfacts. */
interface RecordedFact {
  readonly start?: string
  readonly end: string
  readonly val: number
  readonly accn: string
  readonly form: string
  readonly filed: string
}

interface RecordedFacts {
  readonly facts: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly units: Readonly<Record<string, readonly RecordedFact[]>> }>>
    >
  >
}

const REPORTS: readonly string[] = [...ANNUAL_FORMS, '10-Q', '10-Q/A', '8-K']

/** Every amount for a period that the reports of a recorded company state. */
export async function readAmounts(path: string): Promise<readonly StatedFact[]> {
  const { facts } = JSON.parse(await readFile(path, 'utf8')) as RecordedFacts // recorded: has this form
  return Object.entries(facts).flatMap(([taxonomy, tags]) =>
    Object.entries(tags).flatMap(([tag, { units }]) =>
      Object.entries(units).flatMap(([unit, list]) =>
        list
          .filter(({ start, form }) => start !== undefined && REPORTS.includes(form))
          .map(({ start = '', end, val, accn, form, filed }) => ({
            ...{ taxonomy, tag, unit, periodStart: toDay(start), periodEnd: toDay(end) },
            ...{ accession: accn, form, filed: toDay(filed), value: String(val) as DecimalText }, // a plain decimal
          })),
      ),
    ),
  )
}

/** An amount by its period, value, filing and the day of filing; USD unless stated. */
type Row = readonly [start: string, end: string, value: number, filing: string, filed: string, unit?: string]

/** The amounts of one tag. */
export function amountsOf(tag: string, rows: readonly Row[]): readonly StatedFact[] {
  return rows.map(([start, end, value, accession, filed, unit = 'USD']) => ({
    ...{ taxonomy: 'us-gaap', tag, unit, periodStart: toDay(start), periodEnd: toDay(end), accession },
    ...{ form: '10-Q', filed: toDay(filed), value: String(value) as DecimalText }, // a plain decimal
  }))
}

/** A figure of the gateway, or the amounts of one tag. */
export type Subject = FigureName | { readonly tag: string }

const ruleOf = (subject: Subject) =>
  typeof subject === 'string' ? FIGURE_RULES[subject] : oneOf('USD', 'period', gaap(subject.tag))

const knownBy = (facts: readonly StatedFact[], day = '9999-12-31') =>
  readHistory(facts.filter(({ filed }) => filed <= day))

export const quarterOf = (
  facts: readonly StatedFact[],
  subject: Subject,
  end: string,
  by?: string,
): FigureValue => computeQuarter(ruleOf(subject), toDay(end), knownBy(facts, by))

export const trailingOf = (
  facts: readonly StatedFact[],
  subject: Subject,
  end: string,
  by?: string,
): FigureValue => computeTrailing(ruleOf(subject), toDay(end), knownBy(facts, by))

/** The value of a figure, or the reason why it is null. */
export const valueOrReason = ({ value, reason }: FigureValue): number | string =>
  value === null ? (reason ?? '') : value.toNumber()
