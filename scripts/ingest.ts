// Runs one feed of the ingestion registry once: npm run ingest -- <feed> [--file PATH] [--json]
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseTarget, loadConfig } from '../src/config.js'
import { ApiError } from '../src/core/errors.js'
import { systemClock } from '../src/core/time.js'
import { BrokenBody } from '../src/ingest/feed.js'
import { type BodySource, fetchBodyWith } from '../src/ingest/read-body.js'
import { FEEDS, findFeed } from '../src/ingest/registry.js'
import { type RunProgress, type RunSummary, runFeed } from '../src/ingest/run-feed.js'
import { openDatabase } from '../src/platform/database.js'
import { createHttpClient } from '../src/platform/http-client.js'
import { createLogger } from '../src/platform/logger.js'
import { migrate } from '../src/platform/migrate.js'
import { VERSION } from '../src/platform/version.js'

const MIGRATIONS = resolve(import.meta.dirname, '../prisma/migrations')
const BAR_WIDTH = 30

/** A mistake on the command line; the help is one option away. */
class UsageError extends Error {}

interface Arguments {
  readonly feedId: string
  readonly source: BodySource
  readonly isJson: boolean
}

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2))
  if (given === null) {
    process.stdout.write(help())
    return
  }
  const bound = findFeed(given.feedId)
  const log = createLogger('silent') // what matters is in the summary, the message and the ledger
  const client = createHttpClient({ log, userAgent: `market-data-gateway/${VERSION}` })
  const database = await openDatabase(databaseTarget(loadConfig(process.env)))
  try {
    await migrate(database, MIGRATIONS)
    const deps = { database, clock: systemClock, fetchBody: fetchBodyWith(client), log }
    const summary = await runFeed(deps, bound, given.source, showProgress).finally(clearProgress)
    process.stdout.write(
      given.isJson ? `${JSON.stringify(summary, null, 2)}\n` : summaryText(given.feedId, summary),
    )
    // A body in which nothing could be read is no success, though nothing was harmed.
    if (summary.rows === 0 && summary.rejected > 0) process.exitCode = 1
  } finally {
    await database.close()
  }
}

/** Null: help was asked for. */
function readArguments(args: readonly string[]): Arguments | null {
  const { values, positionals } = parseOptions(args)
  const [feedId, ...rest] = positionals
  if (values.help === true) return null
  if (feedId === undefined) throw new UsageError('name a feed')
  if (rest.length > 0) throw new UsageError(`one feed at a time; got ${positionals.join(' ')}`)
  const source: BodySource =
    values.file === undefined ? { kind: 'live' } : { kind: 'file', path: values.file }
  return { feedId, source, isJson: values.json ?? false }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { file: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function help(): string {
  const feeds = FEEDS.map(
    ({ feed }) =>
      `  ${feed.id.padEnd(14)} ${feed.description}\n${' '.repeat(17)}${feed.provider.attribution}; ${feed.cadence}\n` +
      `${' '.repeat(17)}files: ${feed.fileNames.join(', ')}\n`,
  )
  return `Usage: npm run ingest -- <feed> [--file PATH] [--json]

Fetches the feed's newest body, or reads it from a file, and writes what is new or changed.
The database is DATABASE_URL, or the embedded one in DATA_DIR (default ./.data) while no gateway holds it.

  --file PATH    read the body from a file instead of the live source
  --json         print the summary as JSON
  --help         print this

Feeds:
${feeds.join('')}`
}

function summaryText(feedId: string, run: RunSummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const counts = `${run.added} added, ${run.revised} revised, ${run.unchanged} unchanged, ${run.rejected} rejected`
  const head = `${feedId}: ${run.rows} rows read: ${counts}${seed} (${(run.durationMs / 1000).toFixed(1)} s)\n`
  const rejections = run.rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const untold = run.rejected - run.rejections.length
  return head + rejections.join('') + (untold > 0 ? `  and ${untold} more\n` : '')
}

function showProgress({ fraction, rows, rejected }: RunProgress): void {
  if (!process.stderr.isTTY) return
  const filled = Math.round(fraction * BAR_WIDTH)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
  const share = String(Math.round(fraction * 100)).padStart(3)
  process.stderr.write(`\r${bar} ${share} %  ${rows} rows${rejected > 0 ? `, ${rejected} rejected` : ''}`)
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} (see --help)`
  if (error instanceof ApiError && error.cause instanceof Error) {
    return `the database is out of reach: ${error.cause.message || error.cause.name}`
  }
  if (error instanceof BrokenBody) return `nothing was written: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

main().catch((error: unknown) => {
  process.stderr.write(`ingest: ${explain(error)}\n`)
  process.exitCode = 1
})
