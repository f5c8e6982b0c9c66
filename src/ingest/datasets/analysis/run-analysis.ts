import { canonicalJson } from '../../../core/canonical-json.js'
import { freshnessKindOfTier, refreshIntervalMs } from '../../../core/freshness.js'
import type { AnalysisType, NewSnapshot, SnapshotSigner } from '../../../domains/analysis/model.js'
import { appendSnapshots } from '../../../domains/analysis/store.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bumpDataset } from '../../../platform/database/versions/bump-dataset.js'
import type { Logger } from '../../../platform/logger.js'
import { IngestError } from '../../feed.js'
import { errorText, MAX_REJECTIONS_KEPT, type Rejection, type RunCounts } from '../../run/ledger.js'
import { lockDataset } from '../../run/lock-dataset.js'
import { type IngestDeps, type OpenRun, runOneInLedger } from '../../run/run.js'
import { type ListedAsset, loadListedAssets } from './facts/load-listed.js'
import {
  analysisKey,
  type DataProvenance,
  loadNewestAnalyses,
  loadProvenance,
  type NewestAnalysis,
} from './facts/load-series.js'
import {
  type AnalysedAsset,
  type AnalysisGenerator,
  type AnalysisInput,
  DroppedAnalysis,
} from './generator.js'
import { breadthByTier, createInput, createListedInputs, loadSeriesInputs } from './inputs.js'
import { cryptoTypes } from './rules/crypto-types.js'
import { computeFindings, methodologyVersionOf, NEWEST_METHOD } from './rules/rules.js'

export interface AnalysisDeps extends IngestDeps {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly generator: AnalysisGenerator
  readonly signer: SnapshotSigner
}

export interface AnalysisRequest {
  /** Slugs; null for every crypto asset, stock and fund. */
  readonly slugs: readonly string[] | null
  readonly types: readonly AnalysisType[]
  /** Whether unchanged analyses that are not due yet are stored too. */
  readonly isForced: boolean
}

export interface AnalysisSummary {
  readonly runId: string
  readonly modelId: string
  /** Requested analyses of each kind and asset: added + unchanged + dropped + failed + absent. */
  readonly read: number
  /** Snapshots written. */
  readonly added: number
  /** The same content as the last snapshot, which is younger than the refresh interval of its tier. */
  readonly unchanged: number
  /** The model gave no answer that may be stored. */
  readonly dropped: number
  /** The model gave no answer. */
  readonly failed: number
  /** Not enough facts of the asset are known for this kind of analysis. */
  readonly absent: number
  readonly durationMs: number
}

/** Snapshots per transaction: the most that an interruption loses. */
const BATCH = 200

type Outcome =
  | { readonly kind: 'snapshot'; readonly snapshot: NewSnapshot }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'dropped' | 'failed'; readonly rejection: Rejection }

/**
 * Analyses assets at the current instant and appends the snapshots. Each batch and the dataset's new version are
 * one transaction. If method, prompt and all signals equal those of the newest snapshot, another is made only if
 * forced, or if the newest is older than the refresh interval of the tier (1, 6 or 12 hours). So an analysis is at
 * most one interval old after each run, and no model describes the same figures again. If one analysis fails, the
 * others go on. The ledger has one row for the run; if the run fails, earlier batches stay. Throws IngestError for
 * an unknown slug and while the consensus series does not exist.
 */
export async function runAnalysis(deps: AnalysisDeps, request: AnalysisRequest): Promise<AnalysisSummary> {
  const { database, generator } = deps
  const origin = await loadProvenance(database.prisma)
  if (origin === null) throw new IngestError('analyses need the consensus series; ingest candles first')
  // All windows, whichever assets are requested, because breadth needs the whole tier.
  const { crypto: assets, listed } = await loadListedAssets(database.prisma)
  const all = [...assets, ...listed]
  const wanted = request.slugs === null ? all : request.slugs.map((slug) => find(all, slug))
  const feed = { id: 'analysis', provider: { id: origin.source }, dataset: 'analysis' } as const
  return runOneInLedger(deps, { feed, origin: generator.modelId }, (run) =>
    analyse(deps, request, { origin, assets, wanted, run }),
  )
}

/** The inputs of one run. */
interface Work {
  readonly origin: DataProvenance
  readonly assets: readonly AnalysedAsset[]
  readonly wanted: readonly (AnalysedAsset | ListedAsset)[]
  readonly run: OpenRun
}

async function analyse(deps: AnalysisDeps, request: AnalysisRequest, work: Work): Promise<AnalysisSummary> {
  const began = performance.now()
  const { database, generator, log } = deps
  const { origin, run } = work
  const asOf = run.startedAt
  const inputs = await gatherInputs(deps, request, work)
  const assetIds = [...new Set(inputs.map(({ asset }) => asset.assetId))]
  const read = new Set(work.wanted).size * request.types.length
  const absent = read - inputs.length
  const slugs = new Map(inputs.map(({ asset }) => [asset.assetId, asset.slug]))
  const newest = await loadNewestAnalyses(database, assetIds, origin.source)
  const totals = { added: 0, unchanged: 0, dropped: 0, failed: 0 }
  const rejections: Rejection[] = []
  let start = 0
  do {
    const outcomes = await inParallel(inputs.slice(start, start + BATCH), generator.concurrency, (input) =>
      outcomeOf(deps, input, request.isForced ? undefined : newest.get(keyOf(input))),
    )
    start += BATCH
    for (const outcome of outcomes) {
      totals[outcome.kind === 'snapshot' ? 'added' : outcome.kind] += 1
      if ('rejection' in outcome && rejections.length < MAX_REJECTIONS_KEPT)
        rejections.push(outcome.rejection)
    }
    const snapshots = outcomes.flatMap((outcome) => (outcome.kind === 'snapshot' ? [outcome.snapshot] : []))
    const isLast = start >= inputs.length
    if (snapshots.length === 0 && !isLast) continue
    await database.transaction(async (tx) => {
      if (snapshots.length > 0) await commit(tx, snapshots, { origin, slugs, asOf }, deps)
      if (isLast) await run.succeed(tx, countsOf({ ...totals, absent }, rejections))
    })
  } while (start < inputs.length)
  const durationMs = Math.round(performance.now() - began)
  const summary = { runId: run.runId, modelId: generator.modelId, read, ...totals, absent, durationMs }
  log.info(summary, 'analyses made')
  return summary
}

function countsOf(
  {
    added,
    unchanged,
    dropped,
    failed,
    absent,
  }: Omit<AnalysisSummary, 'runId' | 'modelId' | 'read' | 'durationMs'>,
  rejections: readonly Rejection[],
): RunCounts {
  return { added, revised: 0, unchanged, rejected: dropped + failed, absent, rejections }
}

async function gatherInputs(
  { database }: AnalysisDeps,
  { types }: AnalysisRequest,
  { assets, wanted, origin: { lineage, isDevDataset }, run: { startedAt: asOf } }: Work,
): Promise<readonly AnalysisInput[]> {
  const different = [...new Set(wanted)]
  const listed = different.filter((asset) => 'assetClass' in asset)
  const ofListed =
    listed.length === 0 ? [] : await createListedInputs(database, listed, { asOf, isDevDataset })
  const facts = await loadSeriesInputs(database, assets, [asOf])
  const breadth = breadthByTier(assets, facts, asOf)
  const ofCrypto = different.flatMap((asset) =>
    'assetClass' in asset
      ? []
      : cryptoTypes(asset)
          .filter((type) => types.includes(type))
          .map((type) => createInput(asset, type, { asOf, facts, breadth, lineage })),
  )
  return [...ofCrypto, ...ofListed.filter(({ analysisType }) => types.includes(analysisType))]
}

function find<Asset extends AnalysedAsset>(assets: readonly Asset[], slug: string): Asset {
  const found = assets.find((asset) => asset.slug === slug)
  if (found === undefined) throw new IngestError(`asset "${slug}" does not exist`)
  return found
}

async function outcomeOf(
  { generator, log }: AnalysisDeps,
  input: AnalysisInput,
  newest: NewestAnalysis | undefined,
): Promise<Outcome> {
  const { asset, analysisType, asOf } = input
  try {
    if (newest !== undefined && !isDue(asset, newest, asOf) && saysTheSame(generator, input, newest)) {
      return { kind: 'unchanged' }
    }
    const analysis = await generator.generate(input)
    const snapshot = {
      ...analysis,
      assetId: asset.assetId,
      analysisType,
      generatedAt: asOf,
      supersedes: null,
    }
    return { kind: 'snapshot', snapshot }
  } catch (error) {
    const kind = error instanceof DroppedAnalysis ? 'dropped' : 'failed'
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ asset: asset.slug, analysisType, model: generator.modelId, kind, reason }, 'no analysis')
    return { kind, rejection: { position: `${asset.slug} ${analysisType}`, reason: errorText(error) } }
  }
}

function isDue({ tier }: AnalysedAsset, { generatedAt }: NewestAnalysis, now: Date): boolean {
  return now.getTime() - generatedAt.getTime() > refreshIntervalMs(freshnessKindOfTier(tier), generatedAt)
}

function saysTheSame(generator: AnalysisGenerator, input: AnalysisInput, newest: NewestAnalysis): boolean {
  return (
    newest.methodologyVersion === methodologyVersionOf(input, NEWEST_METHOD) &&
    (newest.promptVersion === generator.promptVersionOf(input.analysisType, input.listed !== undefined) ||
      generator.keepsWording?.() === true) &&
    canonicalJson(newest.content.signals) === canonicalJson(computeFindings(input, NEWEST_METHOD).signals)
  )
}

async function commit(
  tx: Transaction,
  snapshots: readonly NewSnapshot[],
  run: {
    readonly origin: DataProvenance
    /** By the keys of the assets. */
    readonly slugs: ReadonlyMap<number, string>
    readonly asOf: Date
  },
  { signer, clock }: AnalysisDeps,
): Promise<void> {
  const { source, isDevDataset } = run.origin
  await lockDataset(tx, 'analysis')
  const changedAt = clock.now()
  await appendSnapshots(tx, snapshots, { knownAt: changedAt, source, signer })
  const touched = new Map(snapshots.map(({ assetId }) => [run.slugs.get(assetId) ?? '', run.asOf]))
  const change = { source, isDevDataset, observedAt: run.asOf, changedAt, touched }
  await bumpDataset(tx, { dataset: 'analysis', ...change })
}

function keyOf({ asset, analysisType }: AnalysisInput): string {
  return analysisKey(asset.assetId, analysisType)
}

/** The results in the order of the items, with at most `width` tasks in progress. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  const worker = async () => {
    for (const [place, item] of entries) results[place] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
