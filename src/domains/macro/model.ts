import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Frequency } from '../../core/period.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ bis: 'bis', boj: 'daily', bok: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The publishers of macro series. */
export type MacroProvider = 'bis' | 'boj' | 'bok'

/** A series as its provider's catalogue describes it. */
export interface MacroSeries {
  readonly provider: MacroProvider
  /** The provider's dataset, e.g. WS_TC. */
  readonly dataset: string
  /** Unique within the dataset, e.g. Q.US.P.A.M.770.A. */
  readonly seriesKey: string
  /** Country or group of countries, by the provider's code. Null if the series has none. */
  readonly country: string | null
  /** Null if the body does not state it. The stored unit then stays. */
  readonly unit: string | null
  readonly frequency: Frequency
  /** The provider's title. Null if the body does not state it. The stored title then stays. */
  readonly description: string | null
  /** True if the catalogue of its provider shows it. For the BIS this is one series per country and dataset. It never becomes false. */
  readonly isHeadline: boolean
}

/** One observation. All rows of a series share the object that describes the series. */
export interface MacroObservation {
  readonly series: MacroSeries
  /** First day of the period. */
  readonly periodStart: IsoDate
  /** In the unit of the series. Null if the provider lists the period without a value. */
  readonly value: DecimalText | null
  /** True if the body holds the whole series. Periods that it does not list were then withdrawn. */
  readonly isOfWholeSeries: boolean
  /** True if the body has an unreadable value for the period. The stored value then stays. */
  readonly isUnread?: true
}

/** A series that its provider lists without an observation. */
export interface ListedSeries {
  readonly series: MacroSeries
  readonly periodStart: null
}

/** A fact of a body: an observation, or the existence of a series. */
export type MacroFact = MacroObservation | ListedSeries

/** A served dataset of the BIS. */
export interface BisDataset {
  readonly code: string
  readonly name: string
  /** Frequency of its headline series. */
  readonly frequency: 'quarterly' | 'annual'
  /** Unit of its headline series. */
  readonly unit: string
  readonly description: string
  /** Key of the headline series of the country `{CC}`. */
  readonly seriesKeyPattern: string
  /** How the value of a quarter is computed from its months. Null for datasets that are published quarterly. */
  readonly quarterOf: 'mean' | 'last' | null
}

const MEAN_RULE =
  'Published monthly. A quarter is the mean of its three months once all three are published, and null if one of them has no value.'
const LAST_RULE =
  'Published monthly. A quarter is its last month once all three are published. The key has Q instead of M.'

/**
 * The served datasets of the BIS: quarterly datasets, and monthly ones converted to quarters, with their annual series. The
 * annual payment statistics are missing because they have no single series per country.
 */
export const BIS_DATASETS: readonly BisDataset[] = [
  {
    code: 'WS_TC',
    name: 'Total credit',
    frequency: 'quarterly',
    unit: '%_GDP',
    description:
      'Credit to the private non-financial sector from all sectors at market value, adjusted for breaks. Other keys have other borrowers and lenders, and amounts in billions of US dollars or domestic currency.',
    seriesKeyPattern: 'Q.{CC}.P.A.M.770.A',
    quarterOf: null,
  },
  {
    code: 'WS_CREDIT_GAP',
    name: 'Credit-to-GDP gaps',
    frequency: 'quarterly',
    unit: '%_GDP',
    description:
      'Difference between the credit-to-GDP ratio and its long-run trend, in percentage points of GDP. Other keys have the ratio (A) and the trend (B).',
    seriesKeyPattern: 'Q.{CC}.P.A.C',
    quarterOf: null,
  },
  {
    code: 'WS_DSR',
    name: 'Debt service ratios',
    frequency: 'quarterly',
    unit: '%',
    description:
      'Debt service of the private non-financial sector in per cent of its income. Other keys have households (H) and non-financial corporations (N).',
    seriesKeyPattern: 'Q.{CC}.P',
    quarterOf: null,
  },
  {
    code: 'WS_SPP',
    name: 'Selected residential property prices',
    frequency: 'quarterly',
    unit: 'INDEX_2010=100',
    description:
      'Residential property prices, real. Other keys have nominal prices (N) and year-on-year changes (771).',
    seriesKeyPattern: 'Q.{CC}.R.628',
    quarterOf: null,
  },
  {
    code: 'WS_EER',
    name: 'Effective exchange rates',
    frequency: 'quarterly',
    unit: 'INDEX_2020=100',
    description: `Real effective exchange rate, broad basket. Other keys have nominal rates (N) and the narrow basket (N). ${MEAN_RULE} The key has Q instead of M.`,
    seriesKeyPattern: 'Q.R.B.{CC}',
    quarterOf: 'mean',
  },
  {
    code: 'WS_LONG_CPI',
    name: 'Consumer prices statistics',
    frequency: 'quarterly',
    unit: 'INDEX_2010=100',
    description: `Consumer prices from 1900 on. Other keys have year-on-year changes (771) and the published annual series (A). ${MEAN_RULE} The key has Q instead of M.`,
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
      'Cross-border claims of the banks in a country on all sectors of all countries, all instruments and currencies. Published in millions, served in billions of US dollars.',
    seriesKeyPattern: 'Q.S.C.A.TO1.A.5J.A.{CC}.A.5J.N',
    quarterOf: null,
  },
]

/** The key of the headline series of a country. */
export function headlineKey({ seriesKeyPattern }: BisDataset, country: string): string {
  return seriesKeyPattern.replace('{CC}', country)
}
