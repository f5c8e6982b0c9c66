import { createHash } from 'node:crypto'
import { ANALYSIS_TYPES, type AnalysisType } from '../../../src/domains/analysis/model.js'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** End of the newest window and newest of everything else. */
export const END = new Date('2026-11-20T00:00:00Z')

/** Provider of all rows. */
export const SOURCE = 'bench'

/** Candles in the longest read; no series is shorter. */
export const CANDLES_PER_READ = 500

/** Assets in the widest read; no world has fewer. */
export const ASSETS_PER_READ = 20

/** Hour candles are kept for five years; beyond that a table grows by assets. */
const MAX_HOURS = 5 * 365 * 24
const MIN_HOURS = CANDLES_PER_READ + 24

/** The catalogue holds more than what has candles: stocks, funds, commodities. */
const CANDLES_PER_ASSET = 2_500

/** Markets that the assets are listed on in turn. */
export const MICS = ['XNYS', 'XNAS', 'XPAR', 'XAMS', 'XETR', 'XLON', 'XTKS', 'XHKG'] as const

/** A page of each market is full. */
const MIN_ASSETS = MICS.length * ASSETS_PER_READ

/** Shares of the candles: 100 to 10 rates to 2 snapshots, each but the first of its chain with a change. */
const CANDLES_PER_RATE = 10
const CANDLES_PER_SNAPSHOT = 50

export const CURRENCIES = 40

/** Rates began on 1999-01-04; there are no more publication days than that. */
const MAX_FOREX_DAYS = 7_000
const MIN_FOREX_DAYS = 64

/** Observations of a macro series; a table of them grows by series. */
export const MACRO_DAYS = 2_000

/** Series of the widest read. */
export const MACRO_SERIES_PER_READ = 20

/** The deepest history that is read, and some that stay behind it. */
const MIN_CHAIN_LENGTH = 25

/** Every so many windows, rates and snapshots one was revised; the row before it is kept. */
export const REVISED_EACH = 20
export const CORRECTED_EACH = 50

/** How large each part of a world is. */
export interface Scale {
  /** Candles asked for. */
  readonly size: number
  /** Assets with candles and analyses: keys 1 to this. */
  readonly series: number
  readonly hours: number
  /** Assets of the catalogue: keys 1 to this. */
  readonly assets: number
  readonly forexDays: number
  /** Macro series, which have as many observations as there are candles. */
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

/** Chains: one per asset and type. */
export function chainCount({ series }: Scale): number {
  return series * ANALYSIS_TYPES.length
}

/** Milliseconds from one snapshot of a chain to the next: the chains are as long as the series of candles. */
export function generationStepMs({ hours, chainLength }: Scale): number {
  return Math.floor((hours * HOUR_MS) / chainLength)
}

/** When the snapshots of a place in their chains (from 1) were made and became known, all in one run. */
export function generatedAt(scale: Scale, sequence: number): Date {
  return new Date(END.getTime() - (scale.chainLength - sequence) * generationStepMs(scale))
}

/** The change to the snapshot at a place (from 2) of a chain (from 0): places among the changes are counted by run. */
export function diffId(scale: Scale, sequence: number, chain: number): number {
  return (sequence - 2) * chainCount(scale) + chain + 1
}

/** As the loading SQL makes it: `md5('asset:type:sequence')::uuid`. */
export function snapshotId(assetId: number, type: AnalysisType, sequence: number): string {
  const hex = createHash('md5').update(`${assetId}:${type}:${sequence}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Three letters from AAA on. */
export function currencyCode(index: number): string {
  const letter = (place: number) => String.fromCharCode(65 + (Math.floor(index / 26 ** place) % 26))
  return letter(2) + letter(1) + letter(0)
}

/** As the loading SQL names them. */
export const slugOf = (assetId: number) => `asset-${assetId}`
export const tickerOf = (assetId: number) => `A${assetId}`
