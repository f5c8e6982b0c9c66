import type { CommandCall } from '../../control/command-call.js'
import type { Clock } from '../../core/time.js'
import type { GroupSettings } from '../../ingest/feed-group.js'
import type { RunReport } from '../../ingest/run-report.js'
import type { Database } from '../../platform/database/database.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import type { Logger } from '../../platform/logger.js'

/** The dependencies of a command. */
export interface World {
  readonly database: Database
  readonly clock: Clock
  readonly http: HttpClient & DownloadClient
  readonly log: Logger
  readonly settings: GroupSettings
  /** Configured keys of providers. */
  readonly providerKeys: ProviderKeys
  readonly call: Pick<CommandCall, 'err' | 'isTerminal' | 'signal'>
}

/** The unparsed options. */
export interface Options {
  readonly files: readonly string[]
  readonly assets: readonly string[]
  readonly venues: readonly string[]
  readonly from: string | null
  readonly to: string | null
  /** Ticker of an ETF. */
  readonly etf: string | null
  /** The day of a body that does not contain its day. */
  readonly asOf: string | null
  /** Whether to load existing days again. */
  readonly isAgain: boolean
  /** Whether the operator states that the list is complete. */
  readonly isWhole: boolean
}

export type Outcome = Pick<RunReport, 'summary' | 'text' | 'isEmpty'>

export type IngestCommand = (world: World, options: Options) => Promise<Outcome>
