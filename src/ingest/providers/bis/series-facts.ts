import type { Frequency } from '../../../core/period.js'
import { headlineKey } from '../../../domains/macro/bis/datasets-model.js'
import type { MacroSeries } from '../../../domains/macro/model.js'
import type { BisFlow, SeriesAttributes } from './flows.js'

/** The supported values of FREQ; other series are left out. */
export const FREQUENCIES: Readonly<Record<string, Frequency>> = { A: 'annual', Q: 'quarterly', M: 'monthly' }

export interface BodySeries {
  /** With the frequency of the body. */
  readonly key: string
  readonly frequency: Frequency
  /** The stored series: a monthly one becomes quarterly. */
  readonly stored: MacroSeries
  /** Power of ten that converts a published value to the unit. */
  readonly exponent: number
}

/** The series for the codes of its dimensions; null for an unsupported frequency. */
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
