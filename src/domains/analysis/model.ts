import type { WholeBounds } from '../../core/argument-parsers.js'
import { sha256Hex } from '../../core/canonical-json.js'
import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { Asset } from '../../generated/prisma/client.js'
import { definePort } from '../../platform/request/ports.js'

const DATASETS = registerDatasets({ analysis: 'tier' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Kinds of analysis, one chain of snapshots per asset and kind. */
export const ANALYSIS_TYPES = ['halal_analysis', 'market_context', 'regime'] as const

export type AnalysisType = (typeof ANALYSIS_TYPES)[number]

/** The default type of analysis. */
export const DEFAULT_ANALYSIS_TYPE: AnalysisType = 'market_context'

/** Why a snapshot differs from the one before; the dominant reason comes first. */
export const CHANGE_TYPES = ['RESTATEMENT', 'METHODOLOGY_CHANGE', 'MODEL_UPGRADE', 'DATA_REFRESH'] as const

export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Far above what a generator writes; comparing two texts takes the product of their lengths. */
export const MAX_SUMMARY_LENGTH = 8_000

/** The model that needs no key: it computes, and words what it computed. */
export const RULES_MODEL = 'rules-1'

/** Version of the method in use; a snapshot keeps the version it was made by. */
export const METHODOLOGY_VERSIONS: Readonly<Record<AnalysisType, string>> = {
  halal_analysis: 'halal-1',
  market_context: 'market-context-1',
  regime: 'regime-1',
}

/** The same for stocks and funds, of which other facts are known; there is no regime of these. */
export const LISTED_METHODOLOGY_VERSIONS: Readonly<Record<AnalysisType, string>> = {
  halal_analysis: 'halal-stock-1',
  market_context: 'market-context-listed-1',
  regime: 'regime-listed-0',
}

/** Path of the description of every kind of analysis, below the public address. */
export const METHODOLOGY_PATH = '/v1/ai/methodology'

/** Language of every stored analysis, as a code: prompts and rules write English only. */
export const ANALYSIS_LANGUAGE = 'en'

/** A figure an analysis rests on. */
export interface Signal {
  /** Snake case, unique within a snapshot, e.g. realised_volatility_30d. */
  readonly name: string
  /** Never text: what is said in words belongs in the summary. Null: could not be computed. */
  readonly value: number | boolean | null
  /** E.g. fraction, USD, days; null for a plain number or a truth value. */
  readonly unit: string | null
  /** The published bound the value is read against; null: there is none. */
  readonly threshold: number | null
}

/** One figure that went into a ratio, and where it was read. */
export interface RatioInput {
  readonly ratio: string
  readonly figure: string
  readonly value: number | null
  readonly filing: string | null
  readonly period: string | null
  /** Tag of the filing's taxonomy, e.g. us-gaap:LongTermDebt; null for a computed figure, left out where it is not known. */
  readonly tag?: string | null
  /** Type of the filing, e.g. 10-K. */
  readonly form?: string | null
  /** Left out: USD. */
  readonly unit?: string
}

/** Why a ratio is null. */
export interface RatioReason {
  readonly ratio: string
  readonly reason: string
}

/** A ratio is read against being below its bound, a fraction; the bounds are those of the API contract. */
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

/** Whether every ratio is below its bound: a signal, never a ruling. Null while a ratio is missing. */
export function isBelowThresholds(ratios: Readonly<Record<RatioName, number | null>>): boolean | null {
  const values = RATIO_NAMES.map((name) => ({ value: ratios[name], bound: AAOIFI_BOUNDS[name] }))
  if (values.some(({ value }) => value === null)) return null
  return values.every(({ value, bound }) => value !== null && value < bound)
}

/** AAOIFI ratios as fractions; null: an input is missing. A measurement, never a ruling. */
export interface AaoifiContent {
  readonly debt_to_market_cap: number | null
  readonly cash_to_market_cap: number | null
  readonly interest_income_to_revenue: number | null
  /** As `isBelowThresholds`; left out in older analyses of what files nothing. */
  readonly below_thresholds?: boolean | null
  readonly inputs: readonly RatioInput[]
  /** Why ratios are null; left out where it is not known. */
  readonly reasons?: readonly RatioReason[]
}

/** What a snapshot says, as it is hashed and served: exactly these members, no other, names as on the wire. */
export interface SnapshotContent {
  readonly summary: string
  /** From -1 to 1; null: not scored. */
  readonly sentiment_score: number | null
  readonly signals: readonly Signal[]
  /** For halal_analysis; left out for the others. */
  readonly aaoifi?: AaoifiContent
}

/** A dataset that an analysis was made from. */
export interface LineageEntry {
  readonly dataset: string
  readonly version: number
  readonly source: string
}

/** An analysis as its generator hands it over. */
export interface NewSnapshot {
  /** UUID in lower case to store it under; left out: a random one. */
  readonly snapshotId?: string
  readonly assetId: number
  readonly analysisType: AnalysisType
  /** The instant the analysis speaks of: its valid time. */
  readonly generatedAt: Date
  /** The snapshot (of the same asset and type) that this one corrects; null: none. */
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

/** An analysis as it is stored: never changed, never removed. */
export interface Snapshot extends NewSnapshot {
  /** UUID. */
  readonly snapshotId: string
  /** When it became known here. */
  readonly knownFrom: Date
  /** Place in the chain of its asset and type, from 1, in the order of arrival. */
  readonly sequence: number
  /** RFC 8785 text of `content`: the bytes that `contentHash` is of. */
  readonly contentText: string
  /** sha256:<64 hex>. */
  readonly contentHash: string
  /** sha256:<64 hex>, see `chainHashOf`. */
  readonly chainHash: string
  /** Ed25519 over the chain hash's text, base64url; null: not signed. */
  readonly signature: string | null
  readonly signingKeyId: string | null
  /** Provider of the underlying data, or seed. */
  readonly source: string
}

/** Signs chain hashes; null where the process has no key. */
export type SnapshotSigner = {
  readonly keyId: string
  /** Ed25519 over the UTF-8 bytes of the text, base64url. */
  sign(chainHash: string): string
} | null

/** The hash before the first snapshot of a chain. */
export const CHAIN_START = `sha256:${'0'.repeat(64)}`

/**
 * The published recipe of the chain: SHA-256 over the UTF-8 bytes of four lines joined by one line feed, without one
 * at the end: the chain hash of the snapshot before (of the same asset and type, by sequence; `CHAIN_START` for the
 * first), the content hash, the snapshot's UUID in lower case, and generated_at as `YYYY-MM-DDThh:mm:ss.sssZ`.
 */
export function chainHashOf(link: {
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

/** Wait for the next change: shorter than the time-outs of proxies. */
export const WAIT_SECONDS = { min: 0, max: 30, default: 0 } as const satisfies WholeBounds

/** Snapshots generated longer ago need history:full. */
export const OPEN_HISTORY_DAYS = 90

/** Address of the page that sells higher tiers, to which an upsell points. */
export const upgradeUrlPort = definePort<string>('upgrade-url')

/** Public address of the gateway, without a slash at its end: what links in answers begin with. */
export const publicUrlPort = definePort<string>('public-url')

/** A snapshot that may have been read without its content. */
export type SnapshotFacts = Omit<Snapshot, 'content' | 'contentText'> & Partial<Pick<Snapshot, 'contentText'>>

/** A snapshot as a history lists it: of its content it has what a history shows. */
export interface ListedSnapshot extends Omit<SnapshotFacts, 'contentText'> {
  readonly summary: string | null
  /** From -1 to 1; null where it was not scored. */
  readonly sentimentScore: number | null
}

/** A snapshot and the asset it is about. */
export interface AnalysedSnapshot<Facts extends SnapshotFacts = Snapshot> {
  readonly asset: Asset
  readonly snapshot: Facts
}

/** Subjects of an AI block and the analysis each is read from; null: there is none yet. */
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
