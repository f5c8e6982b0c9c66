import {
  type AnalysisType,
  type NewSnapshot,
  type Snapshot,
  type SnapshotContent,
  type SnapshotSigner,
  upgradeUrlPort,
} from '../../../src/domains/analysis/model.js'
import { appendSnapshots } from '../../../src/domains/analysis/store.js'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { loadDatasetState } from '../../../src/platform/database/versions/dataset-states-store.js'
import { createLogger } from '../../../src/platform/logger.js'
import { bindPorts } from '../../../src/platform/request/ports.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import { type Scope, scopesOfTier } from '../../../src/policy/scopes.js'
import type { Tier } from '../../../src/policy/tiers.js'

export const NOW = new Date('2026-11-20T12:00:00Z')

export const UPGRADE_URL = 'https://example.org/upgrade'

/** An instant that many days before the world's now. */
export function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * 86_400_000)
}

export function content(more: Partial<SnapshotContent> = {}): SnapshotContent {
  return {
    summary: 'The price rose over the week.',
    sentiment_score: 0.25,
    signals: [{ name: 'return_7d', value: 0.031, unit: 'fraction', threshold: null }],
    ...more,
  }
}

let drafts = 0

/** Two snapshots with one content hash are no change: each draft differs from all others, in what no figure shows. */
function contentOfItsOwn(): SnapshotContent {
  drafts += 1
  return content({
    signals: [{ name: 'return_7d', value: 0.031, unit: `fraction ${drafts}`, threshold: null }],
  })
}

/** A snapshot of asset 1 as the rules would write it. */
export function draft(more: Partial<NewSnapshot> = {}): NewSnapshot {
  return {
    assetId: 1,
    analysisType: 'market_context',
    generatedAt: daysAgo(1),
    supersedes: null,
    content: contentOfItsOwn(),
    modelId: 'rules-1',
    methodologyVersion: 'm-1',
    promptVersion: null,
    promptHash: null,
    inputTokens: null,
    outputTokens: null,
    dataWindowFrom: daysAgo(31),
    dataWindowTo: daysAgo(1),
    dataLineage: [{ dataset: 'candles', version: 7, source: 'seed' }],
    ...more,
  }
}

/** Assets 1 to `count`: bitcoin (tier 1), then asset-2, asset-3 … of tier 2. */
export async function writeAssets(database: Database, count: number): Promise<void> {
  const facts = Array.from({ length: count }, (_, index) => ({
    assetId: index + 1,
    slug: index === 0 ? 'bitcoin' : `asset-${index + 1}`,
    ticker: index === 0 ? 'BTC' : `A${index + 1}`,
    name: index === 0 ? 'Bitcoin' : `Asset ${index + 1}`,
    assetClass: 'crypto' as const,
    tier: index === 0 ? (1 as const) : (2 as const),
    mic: null,
    isin: null,
    figi: null,
    currency: 'USD',
    sectorGics: null,
    cik: null,
    contract: null,
    lei: null,
    symbols: {},
  }))
  await database.transaction(async (tx) => {
    await writeInstruments(tx, facts, { knownAt: NOW, source: 'seed' })
    const state = { source: 'seed', isDevDataset: true, observedAt: NOW, changedAt: NOW }
    await bumpDataset(tx, { dataset: 'instruments', ...state })
  })
}

export interface Landing {
  readonly knownAt?: Date
  readonly source?: string
  readonly signer?: SnapshotSigner
}

/** Lands snapshots in one transaction together with the version of the dataset. */
export async function land(
  database: Database,
  drafts: readonly NewSnapshot[],
  { knownAt = NOW, source = 'seed', signer = null }: Landing = {},
): Promise<readonly Snapshot[]> {
  return database.transaction(async (tx) => {
    const { added } = await appendSnapshots(tx, drafts, { knownAt, source, signer })
    const isDevDataset = source === 'seed'
    const state = { dataset: 'analysis' as const, source, isDevDataset, observedAt: NOW, changedAt: knownAt }
    await bumpDataset(tx, state)
    return added
  })
}

/** The context of one request of a caller with the scopes of a tier. */
export async function requestOf(
  database: Database,
  options: { readonly tier?: Tier; readonly now?: Date; readonly scopes?: readonly Scope[] } = {},
): Promise<RequestContext> {
  const { tier = 'growth', now = NOW, scopes } = options
  const state = await loadDatasetState(database, 'analysis')
  return {
    principal: {
      kind: 'key',
      accountId: 'account',
      meterId: 'account',
      keyId: 'key',
      tier,
      scopes: scopes ? new Set(scopes) : scopesOfTier(tier),
      isNarrowed: false,
      endsAt: null,
      contract: null,
    },
    database,
    now,
    requestId: 'test',
    log: createLogger('silent'),
    ports: bindPorts([{ port: upgradeUrlPort, implementation: UPGRADE_URL }]),
    datasets: new Map(state ? [['analysis', state] as const] : []),
    clientAddress: 'test',
    idempotencyKey: null,
  }
}

export const TYPES: readonly AnalysisType[] = ['halal_analysis', 'market_context', 'regime']
