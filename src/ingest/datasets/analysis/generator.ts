import type {
  AnalysisType,
  LineageEntry,
  NewSnapshot,
  SnapshotContent,
} from '../../../domains/analysis/model.js'
import type { ListedInputs } from './facts/listed-inputs.js'
import type { TokenProfile } from './facts/token-profile.js'

/**
 * A closed consensus window. The figures are doubles, because they go into statistics and JSON numbers; no amount
 * is added up from them.
 */
export interface PricePoint {
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Consensus price; null for insufficient_sources. */
  readonly priceUsd: number | null
  /** Value traded at the included venues. */
  readonly volumeUsd: number | null
  readonly exchangesCount: number
}

export interface AnalysedAsset {
  readonly assetId: number
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly tier: number | null
}

/** Figures of one filing in USD; null if the filing does not state one. */
export interface BalanceFigures {
  readonly totalDebtUsd: number | null
  readonly cashUsd: number | null
  readonly interestIncomeUsd: number | null
  readonly revenueUsd: number | null
  readonly marketCapUsd: number | null
  readonly filing: string | null
  readonly period: string | null
}

/** Everything an analysis may use: facts known at `asOf`, nothing later. */
export interface AnalysisInput {
  readonly analysisType: AnalysisType
  /** The instant that the analysis describes. */
  readonly asOf: Date
  readonly asset: AnalysedAsset
  /** Ascending; windows that ended after `asOf` are ignored. */
  readonly daily: readonly PricePoint[]
  /** Ascending; windows that ended after `asOf` are ignored. */
  readonly hourly: readonly PricePoint[]
  /** Units of the asset in circulation; null if unknown. */
  readonly supplyUnits: number | null
  /** Share of the priced assets of the same tier whose price is above its 20-day average; null if unknown. */
  readonly tierBreadth: number | null
  /** Null if unknown. */
  readonly token: TokenProfile | null
  /** Null for an asset that files no balance sheet. */
  readonly balance: BalanceFigures | null
  readonly lineage: readonly LineageEntry[]
  /** Facts of a stock or a fund; absent for crypto. */
  readonly listed?: ListedInputs
}

/** An analysis without its time and its place in the chain. */
export type GeneratedAnalysis = Omit<
  NewSnapshot,
  'assetId' | 'analysisType' | 'generatedAt' | 'supersedes'
> & {
  readonly content: SnapshotContent
}

export interface AnalysisGenerator {
  /** The configured model; an answer may name a more exact one. */
  readonly modelId: string
  /** The prompt in use; null if it uses none. `isListed`: for stocks and funds. */
  promptVersionOf(type: AnalysisType, isListed: boolean): string | null
  /** Whether an analysis with the same figures stays even if another prompt wrote its text. False by default. */
  keepsWording?(): boolean
  /** The most analyses in progress at once. */
  readonly concurrency: number
  /** Throws DroppedAnalysis if no answer may be stored, and the transport's error if the model gives none. */
  generate(input: AnalysisInput): Promise<GeneratedAnalysis>
}

/** The model gave no usable answer. The message says why and quotes answers only in part. */
export class DroppedAnalysis extends Error {
  override readonly name = 'DroppedAnalysis'
}
