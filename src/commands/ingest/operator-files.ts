import { INSTRUMENTS_FILE_HELP } from '../../ingest/providers/operator/instruments-file.js'
import { PRICES_FILE_HELP } from '../../ingest/providers/operator/prices-file.js'
import { SUPPLIES_FILE_HELP } from '../../ingest/providers/operator/supplies-file.js'
import { type BodySource, fetchBodyWith } from '../../ingest/read-body.js'
import { runInstrumentsFile, runPricesFile, runSuppliesFile } from '../../ingest/run-operator-file.js'
import { type Options, type Outcome, refuseCandleOptions, UsageError, type World } from './command.js'
import { outcomeOf } from './feed.js'

/** `instruments`: the operator's own table of assets. */
export async function ingestInstruments({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('instruments', options)
  const summary = await runInstrumentsFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return outcomeOf('instruments', summary)
}

/** `supplies`: the operator's own table of supplies. */
export async function ingestSupplies({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('supplies', options)
  const summary = await runSuppliesFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return outcomeOf('supplies', summary)
}

/** `prices`: the operator's own table of daily closing prices. */
export async function ingestPrices({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('prices', options)
  const summary = await runPricesFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return outcomeOf('prices', summary)
}

/** The operator's files as the help lists them. */
export function operatorFilesHelp(): string {
  const instruments = 'Assets of your own, and what you know better than the reference'
  return (
    entry('instruments', instruments, INSTRUMENTS_FILE_HELP) +
    entry('supplies', 'Units of crypto assets as you know them', SUPPLIES_FILE_HELP) +
    entry('prices', 'Daily closing prices of stocks, for market capitalisations', PRICES_FILE_HELP)
  )
}

function entry(name: string, what: string, lines: readonly string[]): string {
  const indent = ' '.repeat(17)
  return `  ${name.padEnd(14)} ${what}\n${lines.map((line) => `${indent}${line}\n`).join('')}`
}

function fileOf(name: string, options: Options): BodySource {
  refuseCandleOptions(options)
  const [path, ...more] = options.files
  if (path === undefined || more.length > 0) throw new UsageError(`${name} reads one file: --file PATH`)
  return { kind: 'file', path }
}
