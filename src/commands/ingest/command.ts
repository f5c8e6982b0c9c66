import type { CommandCall } from '../../control/command-call.js'
import type { RpcUrls } from '../../core/rpc-urls.js'
import type { Clock } from '../../core/time.js'
import type { OpenFigiAccount } from '../../ingest/providers/openfigi/mapping-request.js'
import type { Database } from '../../platform/database/database.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import type { Logger } from '../../platform/logger.js'
import { UsageError } from '../usage-error.js'

/** The dependencies of a command. */
export interface World {
  readonly database: Database
  readonly clock: Clock
  readonly http: HttpClient & DownloadClient
  readonly log: Logger
  /** Configured nodes of chains. */
  readonly rpcUrls: RpcUrls
  /** Configured keys of providers. */
  readonly providerKeys: ProviderKeys
  /** Etherscan key for names of contracts; null: Etherscan is not used. */
  readonly etherscanKey: string | null
  /** The service behind tickers of FIGIs. */
  readonly openFigi: OpenFigiAccount
  /** Configured feeds of headlines. */
  readonly newsFeeds: readonly string[]
  readonly call: Pick<CommandCall, 'err' | 'isTerminal'>
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

/** Throws UsageError for options that select a part of a feed. */
export function assertNoCandleOptions(options: Options): void {
  assertEtfOptions(options)
  if (options.etf !== null || options.asOf !== null)
    throw new UsageError('--etf and --as-of are for holdings of ETFs')
}

/** Throws UsageError for options that holdings of ETFs do not have. */
export function assertEtfOptions({ assets, venues, from, to, isAgain }: Options): void {
  if (assets.length + venues.length > 0 || from !== null || to !== null || isAgain)
    throw new UsageError('--asset, --venue, --from, --to and --again are for candles')
}

export interface Outcome {
  /** The output of `--json`. */
  readonly summary: unknown
  readonly text: string
  /** Whether nothing could be loaded. The exit code is then not 0, although nothing was damaged. */
  readonly isEmpty: boolean
}
