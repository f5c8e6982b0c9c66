import { INSTRUMENTS_FILE_HELP } from '../../ingest/providers/operator/instruments-file.js'
import { type BodySource, fetchBodyWith } from '../../ingest/read-body.js'
import { runInstrumentsFile } from '../../ingest/run-operator-file.js'
import { type Options, type Outcome, UsageError, type World } from './command.js'
import { outcomeOf } from './feed.js'

/** `instruments`: the operator's own table of assets. */
export async function ingestInstruments({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('instruments', options)
  const summary = await runInstrumentsFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return outcomeOf('instruments', summary)
}

/** The operator's files as the help lists them. */
export function operatorFilesHelp(): string {
  return entry(
    'instruments',
    'Assets of your own, and what you know better than the reference',
    INSTRUMENTS_FILE_HELP,
  )
}

function entry(name: string, what: string, lines: readonly string[]): string {
  const indent = ' '.repeat(17)
  return `  ${name.padEnd(14)} ${what}\n${lines.map((line) => `${indent}${line}\n`).join('')}`
}

function fileOf(name: string, { files, assets, venues, from, to }: Options): BodySource {
  if (assets.length + venues.length > 0 || from !== null || to !== null) {
    throw new UsageError('--asset, --venue, --from and --to are for candles')
  }
  const [path, ...more] = files
  if (path === undefined || more.length > 0) throw new UsageError(`${name} reads one file: --file PATH`)
  return { kind: 'file', path }
}
