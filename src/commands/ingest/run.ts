import { parseArgs } from 'node:util'
import { loadConfig } from '../../config.js'
import { type CommandCall, Interrupted } from '../../control/command-call.js'
import { ApiError } from '../../core/errors.js'
import { systemClock } from '../../core/time.js'
import { BrokenBody } from '../../ingest/feed.js'
import { findFeed } from '../../ingest/registry.js'
import { interruptibleClient } from '../../platform/http-client/interruptible-client.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { createLogger } from '../../platform/logger.js'
import { configuredHttp } from '../../platform/wiring.js'
import { type CommandRun, withDatabase } from '../command-world.js'
import { filePathOf } from '../file-path.js'
import { UsageError } from '../usage-error.js'
import { ingestArchive, ingestCandles } from './candles/candles.js'
import type { IngestCommand, Options } from './command.js'
import { feedsHelp, GROUP_COMMANDS, ingestFeed } from './feed.js'

/** Commands that do not run one feed of the registry: they load several bodies, or files of the operator. */
const COMMANDS: ReadonlyMap<string, IngestCommand> = new Map([
  ...GROUP_COMMANDS,
  ['candles', ingestCandles],
  ['candles-archive', ingestArchive],
])

interface Arguments extends Options {
  readonly run: IngestCommand
  readonly isJson: boolean
}

/** Runs `ingest`, which runs one feed, or the candles, once. */
export const runIngest: CommandRun = async (call, world) => {
  try {
    const given = parseArguments(call)
    if (given === null) {
      call.out(help())
      return 0
    }
    const log = createLogger('silent') // the summary, the message and the ledger contain everything
    const config = loadConfig(world.env)
    const outcome = await withDatabase(world, config, call.signal, (database) =>
      given.run(
        {
          database,
          clock: systemClock,
          http: interruptibleClient(configuredHttp(config, { database, log }), call.signal),
          log,
          settings: config,
          providerKeys: config.providerKeys,
          call,
        },
        given,
      ),
    )
    call.out(given.isJson ? `${JSON.stringify(outcome.summary, null, 2)}\n` : outcome.text)
    return outcome.isEmpty ? 1 : 0
  } catch (error) {
    call.err(`ingest: ${explain(error)}\n`)
    return 1
  }
}

/** Returns null for --help. */
function parseArguments({ args, directory }: CommandCall): Arguments | null {
  const { values, positionals } = parseOptions(args)
  const [name, ...rest] = positionals
  if (values.help === true) return null
  if (name === undefined) throw new UsageError('give the name of a feed')
  if (rest.length > 0) throw new UsageError(`give only one feed; got ${positionals.join(' ')}`)
  if (values.whole === true && COMMANDS.has(name)) throw new UsageError('--whole is only for lists')
  return {
    run: COMMANDS.get(name) ?? ingestFeed(findFeed(name)),
    files: (values.file ?? []).map((path) => filePathOf(path, directory)),
    assets: listOf(values.asset),
    venues: listOf(values.venue),
    from: values.from ?? null,
    to: values.to ?? null,
    etf: values.etf ?? null,
    asOf: values['as-of'] ?? null,
    isAgain: values.again ?? false,
    isWhole: values.whole ?? false,
    isJson: values.json ?? false,
  }
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined
    ? []
    : text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        file: { type: 'string', multiple: true },
        asset: { type: 'string' },
        venue: { type: 'string' },
        from: { type: 'string' },
        to: { type: 'string' },
        etf: { type: 'string' },
        'as-of': { type: 'string' },
        again: { type: 'boolean' },
        whole: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function help(): string {
  return `Usage: ${commandLine('ingest')} <feed> [--file PATH ...] [--whole] [--json]
       ${commandLine('ingest')} candles [--asset SLUG,...] [--venue NAME,...] [--from INSTANT] [--to INSTANT] [--again] [--json]
       ${commandLine('ingest')} instruments|supplies|prices|corporate-actions|dividends|events --file PATH [--json]
       ${commandLine('ingest')} news-rss [--file PATH] [--json]
       ${commandLine('ingest')} sec-facts [--asset SLUG,...] [--file PATH] [--json]
       ${commandLine('ingest')} nport [--etf TICKER] [--file PATH] [--json]
       ${commandLine('ingest')} ishares|xtrackers|etf-holdings --etf TICKER [--as-of DAY] [--file PATH] [--json]
       ${commandLine('ingest')} supply-tokens|address-snapshots [--json]
       ${commandLine('ingest')} coinmetrics [--asset SLUG,... [--file PATH]] [--json]
       ${commandLine('ingest')} candles-archive --asset SLUG (--from DAY [--to DAY] | --file PATH ...) [--again] [--json]

Fetches the feed's newest body, or reads it from a file, and writes new and changed rows.
The database is DATABASE_URL, or the embedded one in DATA_DIR (default ./.data). If a gateway runs on the embedded
database, it does the work.

  --file PATH    reads the body from a file instead of the live source
  --whole        states that a sanctions list is complete: entries that it no longer has are withdrawn, if they are at
                 most 2 % of the known ones. Lists that prove their completeness need no --whole: OFAC by the end
                 marks of its files, OpenSanctions by the size in its index. Of a list of tickers or funds of the SEC
                 it states that so many have really ended
  --json         prints the summary as JSON
  --help         prints this help

${feedsHelp()}
Candles:
  candles        Consensus candles of hours and days from one-minute bars of the exchanges
                 --asset: default all crypto assets; --venue: binance, bitstamp, coinbase, kraken
                 --from: default where each exchange was asked last, at first a day ago; use whole UTC days for whole
                 candles; --to: default now
                 Days older than 35 days are backfilled, the newest first; a stopped run continues where it ended.
                 --venue: binance, bitstamp, coinbase, okx; --again: loads existing days again. Prices in USDT are
                 converted by the candles of tether, or at par without them, so include tether.
                 An exchange that does not answer is asked again after pauses of four minutes in all
  candles-archive  Binance's part of candles older than 35 days, from its daily bulk files (data.binance.vision,
                 checked by their SHA-256); afterwards, candles loads only the other exchanges
                 files: BTCUSDT-1m-2025-01-01.zip
`
}

function explain(error: unknown): string {
  if (error instanceof Interrupted) return `stopped (${error.message}); unfinished work was not written`
  if (error instanceof UsageError) return `${error.message} (see --help)`
  if (error instanceof ApiError && error.cause instanceof Error) {
    return `the database is unreachable: ${error.cause.message || error.cause.name}`
  }
  if (error instanceof BrokenBody) return `nothing was written: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
