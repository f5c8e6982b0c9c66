import type { WholeBounds } from '../../core/argument-parsers.js'
import { sha256Hex } from '../../core/canonical-json.js'
import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { Asset } from '../../generated/prisma/client.js'
import { definePort } from '../../platform/request/ports.js'

const DATASETS = registerDatasets({ analysis: 'tier' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Kinds of analysis. Each asset has one chain of snapshots per kind. */
export const ANALYSIS_TYPES = ['halal_analysis', 'market_context', 'regime'] as const

export type AnalysisType = (typeof ANALYSIS_TYPES)[number]

export const DEFAULT_ANALYSIS_TYPE: AnalysisType = 'market_context'

/** Why a snapshot differs from the one before; the dominant reason comes first. */
export const CHANGE_TYPES = ['RESTATEMENT', 'METHODOLOGY_CHANGE', 'MODEL_UPGRADE', 'DATA_REFRESH'] as const

export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Far longer than any generated summary. The cost of comparing two texts is the product of their lengths. */
export const MAX_SUMMARY_LENGTH = 8_000

/** The model that needs no key: rules compute the figures and write the text. */
export const RULES_MODEL = 'rules-1'

/** The current version of each method; a snapshot keeps the version that made it. */
export const METHODOLOGY_VERSIONS: Readonly<Record<AnalysisType, string>> = {
  halal_analysis: 'halal-1',
  market_context: 'market-context-1',
  regime: 'regime-1',
}

/** The current versions for stocks and funds, whose facts differ. They have no regime analysis. */
export const LISTED_METHODOLOGY_VERSIONS: Readonly<Record<AnalysisType, string>> = {
  halal_analysis: 'halal-stock-1',
  market_context: 'market-context-listed-1',
  regime: 'regime-listed-0',
}

/** Path of the description of all methods, below the public URL. */
export const METHODOLOGY_PATH = '/v1/ai/methodology'

/** Language code of every stored analysis, because prompts and rules write English only. */
export const ANALYSIS_LANGUAGE = 'en'

/** A figure that an analysis is based on. */
export interface Signal {
  /** Snake case, unique within a snapshot, e.g. realised_volatility_30d. */
  readonly name: string
  /** Never text, which belongs in the summary. Null if it could not be computed. */
  readonly value: number | boolean | null
  /** E.g. fraction, USD, days; null for a plain number or a boolean. */
  readonly unit: string | null
  /** The published bound of the value; null without one. */
  readonly threshold: number | null
}

/** One input figure of a ratio with its source. */
export interface RatioInput {
  readonly ratio: string
  readonly figure: string
  readonly value: number | null
  readonly filing: string | null
  readonly period: string | null
  /** Tag of the filing's taxonomy, e.g. us-gaap:LongTermDebt; null for a computed figure, absent if unknown. */
  readonly tag?: string | null
  /** Type of the filing, e.g. 10-K. */
  readonly form?: string | null
  /** USD if absent. */
  readonly unit?: string
}

/** Why a ratio is null. */
export interface RatioReason {
  readonly ratio: string
  readonly reason: string
}

/** The bounds as fractions, from the API contract. A ratio passes if it is below its bound. */
export const AAOIFI_BOUNDS = {
  debt_to_market_cap: 0.33,
  cash_to_market_cap: 0.33,
  interest_income_to_revenue: 0.05,
} as const

export type RatioName = keyof typeof AAOIFI_BOUNDS

export const RATIO_NAMES = [
  'debt_to_market_cap',
  'cash_to_market_cap',
  'interest_income_to_revenue',
] as const satisfies readonly RatioName[]

/** Whether every ratio is below its bound: a measurement, never a ruling. Null if a ratio is missing. */
export function isBelowThresholds(ratios: Readonly<Record<RatioName, number | null>>): boolean | null {
  const values = RATIO_NAMES.map((name) => ({ value: ratios[name], bound: AAOIFI_BOUNDS[name] }))
  if (values.some(({ value }) => value === null)) return null
  return values.every(({ value, bound }) => value !== null && value < bound)
}

/** AAOIFI ratios as fractions; null if an input is missing. A measurement, never a ruling. */
export interface AaoifiContent {
  readonly debt_to_market_cap: number | null
  readonly cash_to_market_cap: number | null
  readonly interest_income_to_revenue: number | null
  /** See `isBelowThresholds`; absent in older analyses of assets without a balance sheet. */
  readonly below_thresholds?: boolean | null
  readonly inputs: readonly RatioInput[]
  /** Why ratios are null; absent if unknown. */
  readonly reasons?: readonly RatioReason[]
}

/** The content of a snapshot as it is hashed and served: exactly these members, with their public names. */
export interface SnapshotContent {
  readonly summary: string
  /** From -1 to 1; null without a score. */
  readonly sentiment_score: number | null
  readonly signals: readonly Signal[]
  /** For halal_analysis; absent for other kinds. */
  readonly aaoifi?: AaoifiContent
}

/** A dataset that an analysis was made from. */
export interface LineageEntry {
  readonly dataset: string
  readonly version: number
  readonly source: string
}

/** The lineage in a column of a snapshot. `appendSnapshots` writes it from such entries. */
export function storedLineage(column: unknown): readonly LineageEntry[] {
  return column as readonly LineageEntry[]
}

/** An analysis as its generator creates it. */
export interface NewSnapshot {
  /** Lower-case UUID of the snapshot; random by default. */
  readonly snapshotId?: string
  readonly assetId: number
  readonly analysisType: AnalysisType
  /** The instant that the analysis describes: its valid time. */
  readonly generatedAt: Date
  /** The snapshot of the same asset and type that this one corrects; null for none. */
  readonly supersedes: string | null
  readonly content: SnapshotContent
  /** E.g. rules-1, or the name of a language model. */
  readonly modelId: string
  readonly methodologyVersion: string
  readonly promptVersion: string | null
  /** sha256:<64 hex> of the prompt text. */
  readonly promptHash: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Oldest and newest fact that the analysis used. */
  readonly dataWindowFrom: Date | null
  readonly dataWindowTo: Date | null
  readonly dataLineage: readonly LineageEntry[]
}

/** A stored analysis, which is never changed or removed. */
export interface Snapshot extends NewSnapshot {
  /** UUID. */
  readonly snapshotId: string
  /** When the gateway stored it. */
  readonly knownFrom: Date
  /** Place in the chain of its asset and type, from 1, in the order of arrival. */
  readonly sequence: number
  /** RFC 8785 text of `content`; `contentHash` is the hash of its bytes. */
  readonly contentText: string
  /** sha256:<64 hex>. */
  readonly contentHash: string
  /** sha256:<64 hex>, see `chainHashOf`. */
  readonly chainHash: string
  /** Ed25519 signature of the text of the chain hash, base64url; null if not signed. */
  readonly signature: string | null
  readonly signingKeyId: string | null
  /** Provider of the underlying data, or seed. */
  readonly source: string
}

/** Signs chain hashes; null if the process has no key. */
export type SnapshotSigner = {
  readonly keyId: string
  /** Ed25519 over the UTF-8 bytes of the text, base64url. */
  sign(chainHash: string): string
} | null

/** The hash before the first snapshot of a chain. */
export const CHAIN_START = `sha256:${'0'.repeat(64)}`

/**
 * The published formula of the chain: SHA-256 over the UTF-8 bytes of four lines, joined by one line feed, without
 * one at the end: the chain hash of the previous snapshot (of the same asset and type, by sequence; `CHAIN_START`
 * for the first), the content hash, the snapshot's UUID in lower case, and generated_at as
 * `YYYY-MM-DDThh:mm:ss.sssZ`.
 */
export function computeChainHash(link: {
  readonly previous: string | null
  readonly contentHash: string
  readonly snapshotId: string
  readonly generatedAt: Date
}): string {
  const { previous, contentHash, snapshotId, generatedAt } = link
  const lines = [previous ?? CHAIN_START, contentHash, snapshotId, generatedAt.toISOString()]
  return `sha256:${sha256Hex(lines.join('\n'))}`
}

/** Snapshots per history. */
export const HISTORY_LIMITS = { min: 1, max: 50, default: 20 } as const satisfies WholeBounds

/** Items per page of changes. */
export const CHANGES_LIMITS = { min: 1, max: 100, default: 50 } as const satisfies WholeBounds

/** Longest wait for the next change, shorter than the time-outs of proxies. */
export const WAIT_SECONDS = { min: 0, max: 30, default: 0 } as const satisfies WholeBounds

/** URL of the page where higher tiers are sold, for upsells. */
export const upgradeUrlPort = definePort<string | null>('upgrade-url')

/** A snapshot that may have been read without its content. */
export type SnapshotHeader = Omit<Snapshot, 'content' | 'contentText'> &
  Partial<Pick<Snapshot, 'contentText'>>

/** A snapshot of a history with only the members of the content that a history shows. */
export interface ListedSnapshot extends Omit<SnapshotHeader, 'contentText'> {
  readonly summary: string | null
  /** From -1 to 1; null without a score. */
  readonly sentimentScore: number | null
}

/** A snapshot with its asset. */
export interface AnalysedSnapshot<Header extends SnapshotHeader = Snapshot> {
  readonly asset: Asset
  readonly snapshot: Header
}

/** Subjects of an AI block and the analysis that each is read from; null if no analysis covers it yet. */
export const BLOCK_SOURCES = {
  token_classification: 'halal_analysis',
  token_methodology: 'halal_analysis',
  fundamental_summary: 'market_context',
  news_summary: null,
  sentiment_score: 'regime',
} as const satisfies Record<string, AnalysisType | null>

export type BlockType = keyof typeof BLOCK_SOURCES

/** Read from the default analysis. */
export const DEFAULT_BLOCK_TYPE: BlockType = 'fundamental_summary'
