import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Frequency } from '../../core/period.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ bis: 'bis', boj: 'daily', bok: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Who publishes the series of the store. */
export type MacroProvider = 'bis' | 'boj' | 'bok'

/** A series as its provider's catalogue describes it. */
export interface MacroSeries {
  readonly provider: MacroProvider
  /** The provider's dataset, e.g. WS_TC. */
  readonly dataset: string
  /** Unique within the dataset, e.g. Q.US.P.A.M.770.A. */
  readonly seriesKey: string
  /** Country or group of countries, by the provider's code; null where the series has none. */
  readonly country: string | null
  /** Null where the body does not say: what was known before stays. */
  readonly unit: string | null
  readonly frequency: Frequency
  /** The provider's title; null as for the unit. */
  readonly description: string | null
  /** The catalogue of its provider shows it: of the BIS the one series of a country in a dataset. Once shown it stays. */
  readonly isHeadline: boolean
}

/** One observation; all rows of a series share the object that describes it. */
export interface MacroObservation {
  readonly series: MacroSeries
  /** First day of the period. */
  readonly periodStart: IsoDate
  /** In the unit of the series; null: the provider lists the period without a value. */
  readonly value: DecimalText | null
  /** The body holds the whole series: what it does not list was withdrawn. */
  readonly isOfWholeSeries: boolean
  /** The body lists the period with a value that cannot be read: what is stored stays. */
  readonly isUnread?: true
}

/** A series that its provider lists, without an observation. */
export interface ListedSeries {
  readonly series: MacroSeries
  readonly periodStart: null
}

/** What a body says: an observation, or that there is a series. */
export type MacroFact = MacroObservation | ListedSeries

/** A dataset of the BIS that is served. */
export interface BisDataset {
  readonly code: string
  readonly name: string
  /** Of its headline series. */
  readonly frequency: 'quarterly' | 'annual'
  /** Of its headline series. */
  readonly unit: string
  readonly description: string
  /** The headline series of a country, `{CC}`. */
  readonly seriesKeyPattern: string
  /** How the months of a quarter make its value; null for datasets that are quarterly as they come. */
  readonly quarterOf: 'mean' | 'last' | null
}

const MEAN_RULE =
  'Published monthly; a quarter is the mean of its three months, once all three are there, and null where one has no value.'
const LAST_RULE =
  'Published monthly; a quarter is its last month, once all three are there. The key has Q in place of M.'

/**
 * The datasets of the BIS that are served: its quarterly ones, and monthly ones as quarters, with the annual series beside them.
 * No dataset is annual as a whole: the payment statistics are, but have no single series for each country.
 */
export const BIS_DATASETS: readonly BisDataset[] = [
  {
    code: 'WS_TC',
    name: 'Total credit',
    frequency: 'quarterly',
    unit: '%_GDP',
    description:
      'Credit to the private non-financial sector from all sectors at market value, adjusted for breaks. Other keys give other borrowers and lenders, and amounts in billions of US dollars or domestic currency.',
    seriesKeyPattern: 'Q.{CC}.P.A.M.770.A',
    quarterOf: null,
  },
  {
    code: 'WS_CREDIT_GAP',
    name: 'Credit-to-GDP gaps',
    frequency: 'quarterly',
    unit: '%_GDP',
    description:
      'Difference between the credit-to-GDP ratio and its long-run trend, percentage points of GDP. Other keys give the ratio (A) and the trend (B).',
    seriesKeyPattern: 'Q.{CC}.P.A.C',
    quarterOf: null,
  },
  {
    code: 'WS_DSR',
    name: 'Debt service ratios',
    frequency: 'quarterly',
    unit: '%',
    description:
      'Debt service of the private non-financial sector in per cent of its income. Other keys give households (H) and non-financial corporations (N).',
    seriesKeyPattern: 'Q.{CC}.P',
    quarterOf: null,
  },
  {
    code: 'WS_SPP',
    name: 'Selected residential property prices',
    frequency: 'quarterly',
    unit: 'INDEX_2010=100',
    description:
      'Residential property prices, real. Other keys give nominal prices (N) and year-on-year changes (771).',
    seriesKeyPattern: 'Q.{CC}.R.628',
    quarterOf: null,
  },
  {
    code: 'WS_EER',
    name: 'Effective exchange rates',
    frequency: 'quarterly',
    unit: 'INDEX_2020=100',
    description: `Real effective exchange rate, broad basket. Other keys give nominal rates (N) and the narrow basket (N). ${MEAN_RULE} The key has Q in place of M.`,
    seriesKeyPattern: 'Q.R.B.{CC}',
    quarterOf: 'mean',
  },
  {
    code: 'WS_LONG_CPI',
    name: 'Consumer prices statistics',
    frequency: 'quarterly',
    unit: 'INDEX_2010=100',
    description: `Consumer prices from 1900 on. Other keys give year-on-year changes (771) and annual series (A), which are as published. ${MEAN_RULE} The key has Q in place of M.`,
    seriesKeyPattern: 'Q.{CC}.628',
    quarterOf: 'mean',
  },
  {
    code: 'WS_CBPOL',
    name: 'Central bank policy rates',
    frequency: 'quarterly',
    unit: '%',
    description: `Policy rate at the end of the period, per cent per year. ${LAST_RULE}`,
    seriesKeyPattern: 'Q.{CC}',
    quarterOf: 'last',
  },
  {
    code: 'WS_LBS_D_PUB',
    name: 'Locational banking',
    frequency: 'quarterly',
    unit: 'USD_B',
    description:
      'Cross-border claims of the banks in a country on all sectors of all countries, all instruments and currencies. Published in millions, given in billions of US dollars.',
    seriesKeyPattern: 'Q.S.C.A.TO1.A.5J.A.{CC}.A.5J.N',
    quarterOf: null,
  },
]

/** The headline series of a country. */
export function headlineKey({ seriesKeyPattern }: BisDataset, country: string): string {
  return seriesKeyPattern.replace('{CC}', country)
}
