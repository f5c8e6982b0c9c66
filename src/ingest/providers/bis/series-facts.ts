import type { Frequency } from '../../../core/period.js'
import { headlineKey, type MacroSeries } from '../../../domains/macro/model.js'
import type { BisFlow, SeriesAttributes } from './flows.js'

/** FREQ of the series that are read; others are left out. */
export const FREQUENCIES: Readonly<Record<string, Frequency>> = { A: 'annual', Q: 'quarterly', M: 'monthly' }

/** A series as the body has it. */
export interface BodySeries {
  /** With the frequency of the body. */
  readonly key: string
  readonly frequency: Frequency
  /** As it is stored: a monthly one as quarters. */
  readonly stored: MacroSeries
  /** Power of ten that turns a published value into the unit. */
  readonly exponent: number
}

/** What a series is by the codes of its dimensions; null for a frequency that is not served. */
export function createSeries(
  flow: BisFlow,
  code: (dimension: string) => string,
  facts: { readonly attributes: SeriesAttributes; readonly title: string | null },
): BodySeries | null {
  const { dataset, dimensions, countryDimension } = flow
  const frequency = FREQUENCIES[code('FREQ')]
  if (frequency === undefined || (frequency === 'monthly' && dataset.quarterOf === null)) return null
  const codes = dimensions.map(code)
  const isMonthly = frequency === 'monthly'
  const seriesKey = (isMonthly ? ['Q', ...codes.slice(1)] : codes).join('.')
  const country = code(countryDimension)
  const { unit, exponent } = flow.unitOf(code, facts.attributes)
  const stored: MacroSeries = {
    provider: 'bis',
    dataset: dataset.code,
    seriesKey,
    country,
    unit,
    frequency: isMonthly ? 'quarterly' : frequency,
    description: facts.title,
    isHeadline: seriesKey === headlineKey(dataset, country),
  }
  return { key: codes.join('.'), frequency, stored, exponent }
}
