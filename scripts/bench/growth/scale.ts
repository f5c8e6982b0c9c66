import { createHash } from 'node:crypto'
import { ANALYSIS_TYPES, type AnalysisType } from '../../../src/domains/analysis/model.js'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** End of the newest window, and the instant of all other newest data. */
export const END = new Date('2026-11-20T00:00:00Z')

/** Provider of all rows. */
export const SOURCE = 'bench'

/** Number of candles in the longest read. No series is shorter. */
export const CANDLES_PER_READ = 500

/** Number of assets in the widest read. No world has fewer. */
export const ASSETS_PER_READ = 20

/** Hourly candles are kept for five years. A larger table has more assets. */
const MAX_HOURS = 5 * 365 * 24
const MIN_HOURS = CANDLES_PER_READ + 24

/** The catalogue also has assets without candles: stocks, funds and commodities. */
const CANDLES_PER_ASSET = 2_500

/** Markets to which the assets are assigned in turn. */
export const MICS = ['XNYS', 'XNAS', 'XPAR', 'XAMS', 'XETR', 'XLON', 'XTKS', 'XHKG'] as const

/** Fewest assets of a market, so that a page is full. */
const MIN_ASSETS = MICS.length * ASSETS_PER_READ

/** 10 rates and 2 snapshots for every 100 candles. Each snapshot except the first of its chain has a change. */
const CANDLES_PER_RATE = 10
const CANDLES_PER_SNAPSHOT = 50

export const CURRENCIES = 40

/** About the number of publication days since the first rates on 1999-01-04. */
const MAX_FOREX_DAYS = 7_000
const MIN_FOREX_DAYS = 64

/** Observations of a macro series. A larger table has more series. */
export const MACRO_DAYS = 2_000

/** Number of series in the widest read. */
export const MACRO_SERIES_PER_READ = 20

/** Snapshots of the longest history that is read, and some older ones. */
const MIN_CHAIN_LENGTH = 25

/** One of this many windows, rates and snapshots is revised. The row before it is kept. */
export const REVISED_EACH = 20
export const CORRECTED_EACH = 50

/** Sizes of the parts of a world. */
export interface Scale {
  /** Requested number of candles. */
  readonly size: number
  /** Number of assets with candles and analyses. Their keys begin at 1. */
  readonly series: number
  readonly hours: number
  /** Number of assets in the catalogue. Their keys begin at 1. */
  readonly assets: number
  readonly forexDays: number
  /** Number of macro series. They have as many observations as the world has candles. */
  readonly macroSeries: number
  /** Snapshots per asset and type. */
  readonly chainLength: number
}

export function scaleOf(size: number): Scale {
  const hoursOfFewest = Math.floor((size / ASSETS_PER_READ) * (24 / 25))
  const hours = Math.max(MIN_HOURS, Math.min(MAX_HOURS, hoursOfFewest))
  const series = Math.max(ASSETS_PER_READ, Math.round(size / (hours * (25 / 24))))
  const forexDays = Math.floor(size / CANDLES_PER_RATE / CURRENCIES)
  const chainLength = Math.floor(size / CANDLES_PER_SNAPSHOT / (series * ANALYSIS_TYPES.length))
  return {
    size,
    series,
    hours,
    assets: Math.max(MIN_ASSETS, series, Math.round(size / CANDLES_PER_ASSET)),
    forexDays: Math.max(MIN_FOREX_DAYS, Math.min(MAX_FOREX_DAYS, forexDays)),
    macroSeries: Math.max(MACRO_SERIES_PER_READ, Math.round(size / MACRO_DAYS)),
    chainLength: Math.max(MIN_CHAIN_LENGTH, chainLength),
  }
}

/** Number of chains: one per asset and type. */
export function chainCount({ series }: Scale): number {
  return series * ANALYSIS_TYPES.length
}

/** Milliseconds between two snapshots of a chain. The chains span the same time as the series of candles. */
export function generationStepMs({ hours, chainLength }: Scale): number {
  return Math.floor((hours * HOUR_MS) / chainLength)
}

/** When the snapshots at a position of their chains (from 1) were created and became known, all in one run. */
export function generatedAt(scale: Scale, sequence: number): Date {
  return new Date(END.getTime() - (scale.chainLength - sequence) * generationStepMs(scale))
}

/** The change to the snapshot at a position (from 2) of a chain (from 0). Positions among the changes are counted by run. */
export function diffId(scale: Scale, sequence: number, chain: number): number {
  return (sequence - 2) * chainCount(scale) + chain + 1
}

/** The identifier from the SQL of the loader: `md5('asset:type:sequence')::uuid`. */
export function snapshotId(assetId: number, type: AnalysisType, sequence: number): string {
  const hex = createHash('md5').update(`${assetId}:${type}:${sequence}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Three letters, beginning with AAA. */
export function currencyCode(index: number): string {
  const letter = (place: number) => String.fromCharCode(65 + (Math.floor(index / 26 ** place) % 26))
  return letter(2) + letter(1) + letter(0)
}

/** The names from the SQL of the loader. */
export const slugOf = (assetId: number) => `asset-${assetId}`
export const tickerOf = (assetId: number) => `A${assetId}`
