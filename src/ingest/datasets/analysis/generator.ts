import type {
  AnalysisType,
  LineageEntry,
  NewSnapshot,
  SnapshotContent,
} from '../../../domains/analysis/model.js'
import type { ListedFacts } from './facts/listed-facts.js'
import type { TokenFacts } from './facts/token-facts.js'

/**
 * A closed consensus window. The figures are doubles: they go into statistics, whose results are rounded, and into
 * JSON numbers; no amount is added up from them.
 */
export interface PricePoint {
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Consensus price; null with insufficient_sources. */
  readonly priceUsd: number | null
  /** Value traded at the venues used. */
  readonly volumeUsd: number | null
  readonly exchangesCount: number
}

/** What is analysed. */
export interface AssetFacts {
  readonly assetId: number
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly tier: number | null
}

/** Figures of one filing, USD; null: the filing does not say. */
export interface BalanceFigures {
  readonly totalDebtUsd: number | null
  readonly cashUsd: number | null
  readonly interestIncomeUsd: number | null
  readonly revenueUsd: number | null
  readonly marketCapUsd: number | null
  readonly filing: string | null
  readonly period: string | null
}

/** Everything an analysis may rest on: facts known at `asOf`, nothing later. */
export interface AnalysisInput {
  readonly analysisType: AnalysisType
  /** The instant the analysis speaks of. */
  readonly asOf: Date
  readonly asset: AssetFacts
  /** Ascending; windows that had not ended at `asOf` are ignored. */
  readonly daily: readonly PricePoint[]
  /** Ascending; windows that had not ended at `asOf` are ignored. */
  readonly hourly: readonly PricePoint[]
  /** Units of the asset in circulation; null: not known. */
  readonly supplyUnits: number | null
  /** Share of the priced assets of the same tier whose price is above its 20-day average; null: not known. */
  readonly tierBreadth: number | null
  /** Null: not recorded. */
  readonly token: TokenFacts | null
  /** Null for what files no balance sheet. */
  readonly balance: BalanceFigures | null
  readonly lineage: readonly LineageEntry[]
  /** What is known of a stock or a fund; left out for crypto. */
  readonly listed?: ListedFacts
}

/** An analysis without its place in time and in its chain. */
export type GeneratedAnalysis = Omit<
  NewSnapshot,
  'assetId' | 'analysisType' | 'generatedAt' | 'supersedes'
> & {
  readonly content: SnapshotContent
}

export interface AnalysisGenerator {
  /** The model as configured; an answer may name a more exact one. */
  readonly modelId: string
  /** The prompt it would use now; null: it uses none. `isListed`: for stocks and funds. */
  promptVersionOf(type: AnalysisType, isListed: boolean): string | null
  /** Whether an analysis with the same figures stays, whichever prompt worded it. Left out: it does not. */
  keepsWording?(): boolean
  /** Analyses that may be under way at once. */
  readonly concurrency: number
  /** Throws DroppedAnalysis when no answer may be stored, and the transport's error when there is none. */
  generate(input: AnalysisInput): Promise<GeneratedAnalysis>
}

/** No answer of the model could be used; the message says why and quotes no answer at length. */
export class DroppedAnalysis extends Error {
  override readonly name = 'DroppedAnalysis'
}
