import { sha256Hex } from '../../../core/canonical-json.js'
import { DAY_MS, startOfHour } from '../../../core/time.js'
import { ANALYSIS_TYPES, type AnalysisType, type NewSnapshot } from '../../../domains/analysis/model.js'
import { appendSnapshots, loadNewestGeneration } from '../../../domains/analysis/store.js'
import type { Database, Transaction } from '../../../platform/database/database.js'
import { bumpDataset } from '../../../platform/database/versions/bump-dataset.js'
import { loadDatasetState } from '../../../platform/database/versions/dataset-states-store.js'
import { SEED_SOURCE } from '../../feed.js'
import { lockDataset } from '../../run/lock-dataset.js'
import { type IngestDeps, runOneInLedger } from '../../run/run.js'
import { seedProvider } from '../../seed/values/seed-provider.js'
import { type ListedAsset, loadListedAssets } from './facts/load-listed.js'
import { type DataProvenance, loadProvenance } from './facts/load-series.js'
import type { AnalysedAsset, AnalysisInput, GeneratedAnalysis, PricePoint } from './generator.js'
import {
  breadthByTier,
  createInput,
  createListedInputs,
  loadSeriesInputs,
  type SeriesInputs,
} from './inputs.js'
import { cryptoTypes } from './rules/crypto-types.js'
import { analyseByRules, type MethodEdition, type RulesModel } from './rules/rules.js'
import { promptOf } from './words/prompts.js'

const FEED = { id: 'seed-analysis', provider: seedProvider, dataset: 'analysis' } as const

/** When the snapshots were made, in days before the seeding: two years, as the prices. */
const DAYS_BEFORE = [700, 535, 370, 85, 51, 17, 0] as const

/** Every fourth chain has a correction at this step and no snapshot at the next one. */
const CORRECTED = 4

/** How much later a correction comes. */
const CORRECTION_MS = DAY_MS / 2

/** The step from which a method is in use, by type, to show changes of the methodology. */
const METHOD_FROM: Readonly<Record<AnalysisType, number>> = {
  halal_analysis: 3,
  market_context: 6,
  regime: 5,
}

/** The step from which rules-1 is in use, by tier, to show model upgrades. */
const MODEL_FROM: Readonly<Record<number, number>> = { 1: 3, 2: 4, 3: 5 }

/** The kind of analysis whose newest snapshot appears to be written by a language model, by tier. */
const WORDED: { readonly type: AnalysisType; readonly tier: number } = { type: 'regime', tier: 1 }

/** A fictitious model; the rules wrote the text. */
const SYNTHETIC_MODEL = 'synthetic-model-1'

/** Approximate tokens per English word. */
const TOKENS_PER_WORD = 1.3

export interface AnalysisSeedSummary {
  /** Snapshots written. */
  readonly added: number
  /** Corrections among the snapshots. */
  readonly restated: number
}

interface Step {
  readonly place: number
  readonly asOf: Date
  /** Chains that are corrected here instead of continued. */
  readonly isCorrection: boolean
}

/**
 * Creates a history of analyses of the synthetic assets, made by the rules from the seeded series as known at each
 * step: seven snapshots per asset and type, with corrections, model upgrades and changes of method at fixed places.
 * The same seeding gives the same snapshots. Null if analyses exist, or if the series is live or missing.
 */
export async function seedAnalysis(deps: IngestDeps): Promise<AnalysisSeedSummary | null> {
  const { database, clock } = deps
  if ((await loadDatasetState(database, 'analysis')) !== null) return null
  // Snapshots cannot be removed, so they may exist although the dataset's state row was lost.
  if ((await loadNewestGeneration(database.prisma, SEED_SOURCE)) !== null) return null
  const origin = await loadProvenance(database.prisma)
  if (origin === null || !origin.isDevDataset) return null
  const steps = stepsUntil(clock.now())
  return runOneInLedger(deps, { feed: FEED, origin: 'generated' }, async (run) => {
    const { crypto: assets, listed: all } = await loadListedAssets(database.prisma)
    const instants = steps.map(({ asOf }) => asOf)
    const facts = await loadSeriesInputs(database, assets, instants)
    const listed = await listedWorld(database, steps, all)
    return database.transaction(async (tx) => {
      const counts = await append(tx, steps, { assets, facts, origin, listed }, run.startedAt)
      await run.succeed(tx, { ...counts, revised: 0, unchanged: 0, rejected: 0, rejections: [] })
      return counts
    })
  })
}

async function append(
  tx: Transaction,
  steps: readonly Step[],
  world: World,
  now: Date,
): Promise<AnalysisSeedSummary> {
  await lockDataset(tx, 'analysis')
  const counts = { added: 0, restated: 0 }
  for (const step of steps) {
    const snapshots = snapshotsOf(step, world)
    const knownAt = step.isCorrection ? new Date(step.asOf.getTime() + CORRECTION_MS) : step.asOf
    await appendSnapshots(tx, snapshots, { knownAt, source: SEED_SOURCE, signer: null })
    counts.added += snapshots.length
    if (step.isCorrection) counts.restated += snapshots.length
  }
  await bumpDataset(tx, {
    dataset: 'analysis',
    source: SEED_SOURCE,
    isDevDataset: true,
    observedAt: steps.at(-1)?.asOf ?? now,
    changedAt: now,
  })
  return counts
}

/** In the order in which they became known. */
function stepsUntil(now: Date): readonly Step[] {
  const end = startOfHour(now).getTime()
  return DAYS_BEFORE.flatMap((days, place) => {
    const asOf = new Date(end - days * DAY_MS)
    const step = { place, asOf, isCorrection: false }
    return place === CORRECTED ? [step, { ...step, isCorrection: true }] : [step]
  })
}

interface World {
  readonly assets: readonly AnalysedAsset[]
  readonly facts: SeriesInputs
  readonly origin: DataProvenance
  /** Inputs of the analyses of stocks and funds, by step. */
  readonly listed: ReadonlyMap<number, readonly AnalysisInput[]>
}

/**
 * Steps at which stocks and funds are analysed, and how many of each class: enough for a history and a difference.
 */
const LISTED_STEPS = [2, 5, 6]
const LISTED_OF_CLASS = 10

async function listedWorld(
  database: Database,
  steps: readonly Step[],
  all: readonly ListedAsset[],
): Promise<World['listed']> {
  const chosen = (['stock', 'etf'] as const).flatMap((one) =>
    all.filter(({ assetClass }) => assetClass === one).slice(0, LISTED_OF_CLASS),
  )
  const inputs = new Map<number, readonly AnalysisInput[]>()
  for (const { place, asOf } of steps)
    if (LISTED_STEPS.includes(place))
      inputs.set(place, await createListedInputs(database, chosen, { asOf, isDevDataset: true }))
  return inputs
}

function snapshotsOf(step: Step, { assets, facts, origin, listed }: World): readonly NewSnapshot[] {
  const breadth = breadthByTier(assets, facts, step.asOf)
  const at = { asOf: step.asOf, facts, breadth, lineage: origin.lineage }
  const ofListed = (listed.get(step.place) ?? []).map((input) => seedSnapshot(input, step))
  const ofCrypto = assets.flatMap((asset) =>
    cryptoTypes(asset).flatMap((type) => {
      const isRestated = isRestatedChain(asset, type)
      if (step.isCorrection ? !isRestated : isRestated && step.place === CORRECTED + 1) return []
      const input = createInput(asset, type, at)
      const isWrong = isRestated && step.place === CORRECTED && !step.isCorrection
      return [seedSnapshot(isWrong ? incomplete(input) : input, step)]
    }),
  )
  return [...ofListed, ...ofCrypto]
}

function seedSnapshot(input: AnalysisInput, step: Step): NewSnapshot {
  const { asset, analysisType, asOf } = input
  const edition: MethodEdition = step.place >= METHOD_FROM[analysisType] ? 1 : 0
  const model: RulesModel = step.place >= (MODEL_FROM[asset.tier ?? 3] ?? 0) ? 'rules-1' : 'rules-0'
  const idOf = (isCorrection: boolean) =>
    seedUuid(`${asset.slug} ${analysisType} ${asOf.toISOString()}${isCorrection ? ' corrected' : ''}`)
  const isWorded =
    step.place === DAYS_BEFORE.length - 1 && asset.tier === WORDED.tier && analysisType === WORDED.type
  const analysis = analyseByRules(input, model, edition)
  return {
    ...(isWorded ? asWorded(analysis, input) : analysis),
    snapshotId: idOf(step.isCorrection),
    supersedes: step.isCorrection ? idOf(false) : null,
    assetId: asset.assetId,
    analysisType,
    generatedAt: asOf,
  }
}

/** Adds the provenance of a language model to the analysis. */
function asWorded(analysis: GeneratedAnalysis, input: AnalysisInput): GeneratedAnalysis {
  const prompt = promptOf(input.analysisType, input.listed !== undefined)
  const tokensOf = (text: string) => Math.round(text.split(/\s+/).length * TOKENS_PER_WORD)
  return {
    ...analysis,
    modelId: SYNTHETIC_MODEL,
    promptVersion: prompt.version,
    promptHash: prompt.hash,
    inputTokens: tokensOf(`${prompt.system} ${JSON.stringify(analysis.content.signals)}`),
    outputTokens: tokensOf(analysis.content.summary),
  }
}

/** The input as it was known first, without the newest priced day and the kind of token. */
function incomplete(input: AnalysisInput): AnalysisInput {
  const newest = input.daily.findLast(({ priceUsd }) => priceUsd !== null)?.ts ?? input.asOf
  const isEarlier = ({ ts }: PricePoint) => ts < newest
  return {
    ...input,
    daily: input.daily.filter(isEarlier),
    hourly: input.hourly.filter(isEarlier),
    token: null,
  }
}

function isRestatedChain({ assetId }: AnalysedAsset, type: AnalysisType): boolean {
  return (assetId + ANALYSIS_TYPES.indexOf(type)) % 4 === 0
}

/** A UUID of version 8 (RFC 9562, custom content) from the SHA-256 of a text. */
export function seedUuid(text: string): string {
  const hex = sha256Hex(`seed analysis ${text}`)
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
