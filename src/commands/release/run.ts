import { parseArgs } from 'node:util'
import { loadConfig } from '../../config.js'
import { suggest } from '../../core/suggest.js'
import { systemClock } from '../../core/time.js'
import type { ReleaseTable } from '../../domains/releases/tables/release-table.js'
import { DATASETS_NOT_RELEASED, RELEASE_TABLES } from '../../domains/releases/tables/release-tables.js'
import { configuredReleases } from '../../domains/releases/wiring.js'
import { NotReleasedError, type WrittenRelease, writeRelease } from '../../domains/releases/write-release.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { notedSigner } from '../../platform/installation/snapshot-keys.js'
import { type CommandRun, withDatabase } from '../command-world.js'
import { UsageError } from '../usage-error.js'

const NAMES = RELEASE_TABLES.map(({ dataset }) => dataset)

/** Five names in a line. */
function listOf(names: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(names.length / 5) }, (_, line) =>
    names.slice(line * 5, line * 5 + 5).join(', '),
  )
  return lines.join(',\n             ')
}

const HELP = `Usage: ${commandLine('release')} [--dataset NAME]... [--json]

Writes what is known of a dataset as Parquet files with a signed manifest. A release never changes. Files that did not change
since the release before are stored once. Nothing is written if nothing was committed since.

  --dataset  one of these, several times for several, by default all:
             ${listOf(NAMES)}
  --json     prints JSON

Releases are in RELEASES_LOCATION, a bucket or a directory, by default the directory releases in DATA_DIR.
RELEASES_KEEP says how many stay. SIGNING_KEY signs them.
 "${commandLine('verify')} release DIRECTORY" checks one.
`

/** Runs `release`, which writes releases of datasets. */
export const runRelease: CommandRun = async (call, world) => {
  try {
    const given = parseArguments(call.args)
    if (given === null) {
      call.out(HELP)
      return 0
    }
    const config = loadConfig(world.env)
    const releases = configuredReleases(config)
    const { released, skipped } = await withDatabase(world, config, call.signal, async (database) => {
      const signer = await notedSigner(database, config, systemClock.now())
      return releaseEach(given.tables, (table) =>
        writeRelease({ database, releases, signer, signal: call.signal, keep: config.releases.keep }, table),
      )
    })
    call.out(
      given.isJson ? `${JSON.stringify(released.map(summaryOf), null, 2)}\n` : released.map(lineOf).join(''),
    )
    for (const reason of skipped) call.err(`release: ${reason}\n`)
    return skipped.length > 0 && given.isNamed ? 1 : 0
  } catch (error) {
    call.err(`release: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** A dataset that cannot be released does not stop the others. */
async function releaseEach(
  tables: readonly ReleaseTable[],
  write: (table: ReleaseTable) => Promise<WrittenRelease>,
): Promise<{ readonly released: readonly WrittenRelease[]; readonly skipped: readonly string[] }> {
  const released: WrittenRelease[] = []
  const skipped: string[] = []
  for (const table of tables) {
    try {
      released.push(await write(table))
    } catch (error) {
      if (!(error instanceof NotReleasedError)) throw error
      skipped.push(error.message)
    }
  }
  return { released, skipped }
}

interface Arguments {
  readonly tables: readonly ReleaseTable[]
  /** Whether the caller named the datasets, so that one without rows is an error. */
  readonly isNamed: boolean
  readonly isJson: boolean
}

/** Returns null for --help. */
function parseArguments(args: readonly string[]): Arguments | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dataset: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return null
  const tables = values.dataset?.map(tableOf) ?? RELEASE_TABLES
  return { tables, isNamed: values.dataset !== undefined, isJson: values.json ?? false }
}

function tableOf(name: string): ReleaseTable {
  const table = RELEASE_TABLES.find(({ dataset }) => dataset === name)
  if (table !== undefined) return table
  const reason = DATASETS_NOT_RELEASED.get(name)
  if (reason !== undefined) throw new UsageError(`--dataset ${name} is not released: ${reason}`)
  const near = suggest(name, NAMES)
  throw new UsageError(
    `--dataset must be one of ${NAMES.join(', ')}${near === null ? '' : `; did you mean ${near}?`}`,
  )
}

function summaryOf({ place, manifest, seal, isNew, sharedBytes, removed }: WrittenRelease) {
  const { dataset, rows, bytes, files } = manifest
  return {
    dataset,
    release_id: seal.release_id,
    content_hash: seal.content_hash,
    is_new: isNew,
    rows,
    bytes,
    files: files.length,
    shared_bytes: sharedBytes,
    place,
    removed,
  }
}

function lineOf(release: WrittenRelease): string {
  const { dataset, release_id, is_new, rows, bytes, files, shared_bytes, place, removed } = summaryOf(release)
  const gone = removed.map((id) => `  removed: ${id}\n`).join('')
  if (!is_new) return `${dataset}: unchanged since ${release_id}\n${gone}`
  return `${dataset}: ${release_id}, ${rows} rows in ${files} files, ${bytes} bytes, of which ${shared_bytes} are stored already\n  ${place}\n${gone}`
}
