import { ApiError, notFound } from '../../../core/errors.js'
import { MACRO_PUBLISHERS, type MacroProvider } from '../../../core/providers.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import { MACRO_ROWS_PER_UNIT } from '../../../policy/limits.js'
import type { TranslatedCall } from '../compat-interface.js'
import { rowsWithin } from '../daily-rows.js'
import DIMENSIONS from './dimensions.json' with { type: 'json' }

/** The value of a period; null is missing. */
export interface SdmxObservation {
  /** The period as SDMX writes it: 2025, 2025-Q4, 2025-12 or 2025-12-31. */
  readonly period: string
  /** First day of the period. */
  readonly start: string
  readonly value: number | null
  readonly unit: string | null
}

/** The first days of the requested periods, both included. Null for no bound. */
export interface PeriodDays {
  readonly from: IsoDate | null
  readonly to: IsoDate | null
}

/** A dataflow, its dimensions without that of time, and the operation that has its series. */
export interface SdmxFlow {
  readonly id: string
  readonly agency: string
  readonly dimensions: readonly string[]
  /** Reads the series of a key that has a value for each dimension. Throws 404 for a key that no series has. */
  call(key: readonly string[], days: PeriodDays, now: Date): Pick<TranslatedCall, 'operation' | 'args'>
  toObservations(answer: unknown): readonly SdmxObservation[]
}

/** The flow of a reference: `FLOW`, `AGENCY,FLOW` or `AGENCY,FLOW,VERSION`. Throws 404 for another one. */
export function parseFlow(reference: string): SdmxFlow {
  const [, agency, id = ''] = /^(?:([\w.]+),)?(\w+)(?:,[\w.]+)?$/.exec(reference) ?? []
  const flow = findFlow(id)
  if (flow === null || ![undefined, 'all', flow.agency].includes(agency))
    throw notFound('No results found: the dataflow does not exist.')
  return flow
}

/** The publishers whose flows are named after them and their dataset: ECB_YC. */
const PROVIDER_OF_PREFIX = new Map(
  MACRO_PUBLISHERS.filter(({ id }) => id !== 'bis').map(({ id }) => [`${id.toUpperCase()}_`, id]),
)

function findFlow(id: string): SdmxFlow | null {
  if (id === 'EXR') return EXCHANGE_RATES
  const dimensions = Object.entries(DIMENSIONS).find(([dataset]) => dataset === id)?.[1]
  if (dimensions !== undefined) return createMacroFlow({ id, dataset: id, provider: 'bis', dimensions })
  const provider = PROVIDER_OF_PREFIX.get(id.slice(0, id.indexOf('_') + 1))
  // The codes of series of other publishers have no dimensions.
  return provider === undefined
    ? null
    : createMacroFlow({ id, dataset: id.slice(provider.length + 1), provider, dimensions: ['SERIES'] })
}

/** The part of the answer of an operation with pages that is used. */
interface PageAnswer<Row> {
  readonly data: readonly Row[]
  readonly meta: { readonly has_next: boolean }
}

/** The rows of the answer. Throws 413 if it does not have all of them. */
function rowsOf<Row>(answer: unknown): readonly Row[] {
  const { data, meta } = answer as PageAnswer<Row> // the answer of our own operation
  if (!meta.has_next) return data
  throw new ApiError('payload_too_large', {
    message:
      'The series has more observations in this range than an answer may have. Name a later startPeriod or an earlier endPeriod.',
  })
}

interface SeriesRow {
  readonly period: string
  readonly period_start: IsoDate
  readonly value: number | null
  readonly unit: string | null
}

/** A dataset of a publisher of macro series. */
function createMacroFlow({ id, dataset, provider, dimensions }: MacroFlow): SdmxFlow {
  return {
    ...{ id, agency: provider.toUpperCase(), dimensions },
    call: (key, { from, to }, now) => ({
      operation: 'macro_series',
      args: {
        provider,
        key: `${dataset}.${key.join('.')}`,
        limit: String(limitOf({ provider, key, from, to }, now)),
        ...(from === null ? {} : { start_period: from }),
        ...(to === null ? {} : { end_period: to }),
      },
    }),
    toObservations: (answer) =>
      rowsOf<SeriesRow>(answer).map(({ period, period_start: start, value, unit }) => ({
        ...{ period, start, value, unit },
      })),
  }
}

interface SeriesPart extends PeriodDays {
  readonly provider: MacroProvider
  readonly key: readonly string[]
}

/** Rows that the series may have. The first code of the key is the frequency at the ECB: D for days, B for days of business. */
function limitOf({ provider, key, from, to }: SeriesPart, now: Date): number {
  const [code = ''] = key
  const isDaily = provider === 'ust' || (provider === 'ecb' && /^[BD]\./.test(code))
  if (!isDaily) return MACRO_ROWS_PER_UNIT
  const range = { start: from ?? '', end: to ?? toIsoDate(now) }
  return rowsWithin({ ...range, provider, hasWeekends: code.startsWith('D') }, now)
}

interface MacroFlow {
  readonly id: string
  /** Code of the dataset at the provider. */
  readonly dataset: string
  readonly provider: MacroProvider
  readonly dimensions: readonly string[]
}

interface RatesAnswer {
  readonly quote: string
  readonly data: readonly { readonly date: string; readonly rate: number }[]
}

/** The first day with a rate. */
const FIRST_RATE = '1999-01-04'

/** The reference rates of the European Central Bank: daily, in units per euro. */
const EXCHANGE_RATES: SdmxFlow = {
  id: 'EXR',
  agency: 'ECB',
  dimensions: ['FREQ', 'CURRENCY', 'CURRENCY_DENOM', 'EXR_TYPE', 'EXR_SUFFIX'],
  call: ([frequency, currency = '', ...others], { from, to }) => {
    if (frequency !== 'D' || others.join('.') !== 'EUR.SP00.A')
      throw notFound('No results found: series of EXR are D.{currency}.EUR.SP00.A.')
    const first = from ?? (to !== null && to < FIRST_RATE ? to : FIRST_RATE)
    const args = { quote: currency, from: first, ...(to === null ? {} : { to }) }
    return { operation: 'forex', args }
  },
  toObservations: (answer) => {
    const { quote, data } = answer as RatesAnswer // the answer of our own operation
    return data.map(({ date, rate }) => ({ period: date, start: date, value: rate, unit: quote }))
  },
}
