import type { RpcUrls } from '../config/rpc-urls.js'
import type { DatasetName } from '../core/datasets.js'
import type { IsoDate } from '../core/time.js'
import type { Database } from '../platform/database/database.js'
import type { DownloadClient, HttpClient } from '../platform/http-client/http-client.js'
import type { ProviderKeyVariable } from '../platform/http-client/provider-keys.js'
import type { Logger } from '../platform/logger.js'
import type { BoundFeed } from './feed.js'
import { type BodySource, usualSourceOf } from './run/feed-body.js'
import { type RunDeps, runFeed } from './run/run-feed.js'
import { type FeedsSummary, type NamedRun, runFeeds } from './run/run-feeds.js'
import { type RunReport, reportOfRun, reportOfRuns } from './run-report.js'
import type { Schedule } from './schedule.js'

/** What groups need of the configuration. */
export interface GroupSettings {
  /** Nodes of chains; a chain without a node gets no requests. */
  readonly rpcUrls: RpcUrls
  /** For names of contracts; null: Etherscan gets no requests. */
  readonly etherscanKey: string | null
  /** The operator's key for OpenFIGI; null: requests have no key, and OpenFIGI allows fewer of them. */
  readonly openFigiKey: string | null
  /** URLs of news feeds. */
  readonly newsFeeds: readonly string[]
}

/** The settings of an installation that configures nothing. */
export const NO_SETTINGS: GroupSettings = {
  rpcUrls: new Map(),
  etherscanKey: null,
  openFigiKey: null,
  newsFeeds: [],
}

export interface GroupDeps extends RunDeps {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly http: HttpClient & DownloadClient
  readonly settings: GroupSettings
  readonly signal?: AbortSignal
}

/** What a run reads. */
export interface Selection {
  readonly source: BodySource
  /** Slugs; none: all that the group follows. */
  readonly assets: readonly string[]
  /** Ticker of an ETF; null: all that the group follows. */
  readonly etf: string | null
  /** The day of a body that does not contain its day. */
  readonly asOf: IsoDate | null
}

/** What a job reads. */
export const EVERYTHING: Selection = { source: { kind: 'live' }, assets: [], etf: null, asOf: null }

/** The command `ingest <name>`. */
export interface GroupCommand {
  /** What it takes beside `--json`. A group whose file has a feed of the registry takes that file anyway. */
  readonly options: readonly ('asset' | 'etf' | 'asOf' | 'file')[]
  /** Whether it cannot run without the file or the ETF. */
  readonly required?: 'file' | 'etf'
  /** Its part of the help text. Absent if the feed of the registry with that name has one. */
  readonly help?: readonly [what: string, ...lines: readonly string[]]
  /** What is wrong with the options together, or null. */
  explainSelection?(selection: Selection): string | null
}

/** The job of the schedule. */
export interface GroupJob {
  readonly dataset: DatasetName
  /** When it runs, in words. */
  readonly cadence: string
  readonly schedule: Schedule
  /** The word in SCHEDULE that turns it on; `all` leaves it off. Absent: `all` turns it on. */
  readonly optIn?: string
  /** Ids of its feeds in the ledger; by default the name of the group. */
  readonly feeds?: readonly string[]
  /** Whether it waits until the assets have been created. */
  readonly needsAssets?: boolean
  /** Whether the configuration has what it needs; absent: always. */
  isOn?(settings: GroupSettings): boolean
  /** How far it is, or null if there is nothing to do. */
  describeProgress?(database: Database): Promise<string | null>
}

/**
 * Feeds that run together under one name, such as one for each company. Its job, its command, their help and reports follow
 * from it.
 */
export interface FeedGroup<Summary = unknown> {
  /** On the command line and in SCHEDULE. */
  readonly name: string
  /** The variable with the key that a live run requires. */
  readonly keyVariable?: ProviderKeyVariable | undefined
  /** If absent, it runs only on request. */
  readonly job?: GroupJob
  /** If absent, it runs only by the schedule, or by the command of the feed with that name. */
  readonly command?: GroupCommand
  run(deps: GroupDeps, selection: Selection): Promise<RunReport<Summary>>
}

/** The group of one feed. It reads the default source: the provider, or the body that ships with the gateway. */
export function feedGroup(bound: BoundFeed, job: Omit<GroupJob, 'dataset' | 'cadence'>): FeedGroup {
  const { id, dataset, cadence, keyVariable } = bound.feed
  return {
    name: id,
    keyVariable,
    job: { dataset, cadence, ...job },
    run: async (deps) => reportOfRun(id, await runFeed(deps, bound, usualSourceOf(bound.feed))),
  }
}

/** The run of a group that reads one body for each item, one after another. `what`: the items in words, e.g. companies. */
export function runEach(
  name: string,
  what: string,
  loadRuns: (deps: GroupDeps, selection: Selection) => Promise<readonly NamedRun[]>,
): FeedGroup<FeedsSummary>['run'] {
  return async (deps, selection) =>
    reportOfRuns(name, what, await runFeeds(deps, await loadRuns(deps, selection)))
}

/** The live run of an item. After a body that is not in its format, the provider gets no more requests. */
export function liveRun(name: string, bound: BoundFeed): NamedRun {
  return { name, provider: bound.feed.provider.id, bound, source: { kind: 'live' } }
}
