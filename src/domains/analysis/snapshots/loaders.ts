import { ApiError } from '../../../core/errors.js'
import {
  defineLoader,
  defineSharedLoader,
  groupedLoad,
} from '../../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { Snapshot } from '../model.js'
import {
  loadAnalysedAssets,
  loadAnalysedSnapshots,
  loadLatestBySlug,
  type NamedChain,
  namedChainText,
} from './analysed-store.js'
import {
  type ChainKey,
  chainText,
  loadLatestSnapshots,
  loadPredecessors,
  loadSnapshotPages,
  loadSnapshotsById,
  loadSupersessions,
  type PageRange,
  type SnapshotPage,
  supersessionText,
} from './snapshot-store.js'

/** The source of the served snapshots, which is that of the dataset. Throws 503 while no analysis exists. */
export function servedSource(context: RequestContext): string {
  const state = context.datasets.get('analysis')
  if (state) return state.source
  throw new ApiError('service_unavailable', {
    message: 'The dataset analysis is empty: no analysis has been computed yet.',
  })
}

/**
 * No bound on the knowledge: a stored snapshot is known even if the clock of its node, or its commit, is slightly
 * ahead of the request.
 */
export const ALL_KNOWN = new Date('9999-12-31T00:00:00Z')

/** The newest snapshot of an asset and type as known now. All of a page share one statement. */
export const latestSnapshot = defineLoader(
  (chains: readonly ChainKey[], context) =>
    loadLatestSnapshots(context.database, chains, { source: servedSource(context), asOf: ALL_KNOWN }),
  chainText,
)

/**
 * An asset by its slug with its newest snapshot of a type as known now. Simultaneous requests share one statement.
 */
export const latestBySlug = defineSharedLoader({
  load: (chains: readonly NamedChain[], context) =>
    loadLatestBySlug(context.database, chains, { source: servedSource(context), asOf: ALL_KNOWN }),
  keyText: namedChainText,
  batchKey: (_chain, context) => servedSource(context),
})

interface SnapshotPageKey extends ChainKey, PageRange {
  /** Null means now. */
  readonly asOf: Date | null
}

function rangeText({ limit, before, asOf }: SnapshotPageKey): string {
  const place = before === null ? 'newest' : `${before.generatedAt.getTime()} ${before.sequence}`
  return `${limit} ${place} ${asOf?.getTime() ?? 'now'}`
}

/** The newest snapshots of an asset and type; one statement for each range and instant. */
export const snapshotPage = defineSharedLoader({
  ...groupedLoad<SnapshotPageKey, SnapshotPage>({
    groupText: rangeText,
    itemText: chainText,
    load: (keys, context) => {
      const [first] = keys
      const view = { source: servedSource(context), asOf: first.asOf ?? ALL_KNOWN }
      return loadSnapshotPages(context.database, keys, view, first)
    },
  }),
  batchKey: (key, context) => `${servedSource(context)} ${rangeText(key)}`,
})

/** The snapshot before another one in its chain as known now; null for the first. */
export const predecessorLoader = defineLoader(
  (laters: readonly Snapshot[], context) =>
    loadPredecessors(context.database, laters, { source: servedSource(context), asOf: ALL_KNOWN }),
  ({ snapshotId }) => snapshotId,
)

/** True if the later of two snapshots supersedes the earlier, directly or through others; else null. */
export const supersedes = defineLoader(
  (pairs: readonly Parameters<typeof supersessionText>[0][], context) =>
    loadSupersessions(context.database, pairs),
  supersessionText,
)

/** A snapshot by its UUID with its asset, superseded or not; null if the served source lacks it. */
export const analysedSnapshotById = defineSharedLoader({
  load: (snapshotIds: readonly string[], context) =>
    loadAnalysedSnapshots(context.database.prisma, snapshotIds, servedSource(context)),
  batchKey: (_snapshotId, context) => servedSource(context),
})

/** True for an asset with a stored analysis; else null. */
export const analysedAssets = defineLoader((assetIds: readonly number[], context) =>
  loadAnalysedAssets(context.database, assetIds, servedSource(context)),
)

/** A snapshot by its UUID, superseded or not; null if the served source lacks it. */
export const snapshotById = defineLoader((snapshotIds: readonly string[], context) =>
  loadSnapshotsById(context.database.prisma, snapshotIds, servedSource(context)),
)
