import type { CommandCall } from '../../control/command-call.js'
import type { RpcUrls } from '../../core/rpc-urls.js'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import type { Logger } from '../../platform/logger.js'
import { UsageError } from '../usage-error.js'

/** What a command works with. */
export interface World {
  readonly database: Database
  readonly clock: Clock
  readonly http: HttpClient & DownloadClient
  readonly log: Logger
  /** Nodes of chains, from the configuration. */
  readonly rpcUrls: RpcUrls
  /** Keys of providers, from the configuration. */
  readonly providerKeys: ProviderKeys
  /** For names of contracts; null: Etherscan is not asked. */
  readonly etherscanKey: string | null
  /** Feeds of headlines, from the configuration. */
  readonly newsFeeds: readonly string[]
  readonly call: Pick<CommandCall, 'err' | 'isTerminal'>
}

/** The options as they were given. */
export interface Options {
  readonly files: readonly string[]
  readonly assets: readonly string[]
  readonly venues: readonly string[]
  readonly from: string | null
  readonly to: string | null
  /** Ticker of an ETF. */
  readonly etf: string | null
  /** Day that a body without one is of. */
  readonly asOf: string | null
  /** Asks for what is there too. */
  readonly isAgain: boolean
  /** The operator says that the list is whole. */
  readonly isWhole: boolean
}

/** A feed is asked for as a whole. */
export function assertNoCandleOptions(options: Options): void {
  assertEtfOptions(options)
  if (options.etf !== null || options.asOf !== null)
    throw new UsageError('--etf and --as-of are for holdings of ETFs')
}

/** The holdings of ETFs are asked for by fund. */
export function assertEtfOptions({ assets, venues, from, to, isAgain }: Options): void {
  if (assets.length + venues.length > 0 || from !== null || to !== null || isAgain)
    throw new UsageError('--asset, --venue, --from, --to and --again are for candles')
}

export interface Outcome {
  /** What `--json` prints. */
  readonly summary: unknown
  readonly text: string
  /** Nothing could be read: no success, though nothing was harmed. */
  readonly isEmpty: boolean
}
