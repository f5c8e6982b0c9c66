import { ApiError } from '../../core/errors.js'
import { defineLoader } from '../../platform/define-loader.js'
import type { RequestContext } from '../../platform/request-context.js'
import { readDifferences } from './feed.js'
import { type ChainKey, chainText, readLatest, readPages, readSnapshots, type SnapshotPage } from './reads.js'

/** The source whose snapshots are served: that of the dataset. Throws 503 while nothing was analysed. */
export function servedSource(context: RequestContext): string {
  const state = context.datasets.get('analysis')
  if (state) return state.source
  throw new ApiError('service_unavailable', {
    message: 'The dataset analysis is empty: nothing was analysed yet.',
  })
}

/**
 * Knowledge without a limit: what is there is known, even where another node's clock, or the commit itself, is a moment
 * ahead of the request.
 */
export const ALL_KNOWN = new Date('9999-12-31T00:00:00Z')

/** The newest snapshot of an asset and type as known now; all of a page are one statement. */
export const latestSnapshot = defineLoader(
  (chains: readonly ChainKey[], context) =>
    readLatest(context.database, chains, { source: servedSource(context), asOf: ALL_KNOWN }),
  chainText,
)

export interface PageKey extends ChainKey {
  readonly limit: number
  /** Null: now. */
  readonly asOf: Date | null
}

function pageText(key: PageKey): string {
  return `${chainText(key)} ${viewText(key)}`
}

function viewText({ limit, asOf }: PageKey): string {
  return `${limit} ${asOf?.getTime() ?? 'now'}`
}

/** The newest snapshots of an asset and type; one statement for each limit and instant that is asked for. */
export const snapshotPage = defineLoader(async (keys: readonly PageKey[], context) => {
  const pages = new Map<string, SnapshotPage>()
  for (const viewed of new Set(keys.map(viewText))) {
    const group = keys.filter((key) => viewText(key) === viewed)
    for (const [chain, page] of await readGroup(group, context)) pages.set(`${chain} ${viewed}`, page)
  }
  return pages
}, pageText)

/** Pages of one limit and instant, by chain text. */
async function readGroup(group: readonly PageKey[], context: RequestContext) {
  const [first] = group
  if (first === undefined) return new Map<string, SnapshotPage>()
  const view = { source: servedSource(context), asOf: first.asOf ?? ALL_KNOWN }
  return readPages(context.database, group, view, first.limit)
}

/** A snapshot by its UUID, superseded or not; null where the served source has none. */
export const snapshotById = defineLoader((snapshotIds: readonly string[], context) =>
  readSnapshots(context.database, snapshotIds, servedSource(context)),
)

/** What was computed when a snapshot landed; null for the first of its asset and type. */
export const differenceTo = defineLoader((snapshotIds: readonly string[], context) =>
  readDifferences(context.database, snapshotIds),
)
