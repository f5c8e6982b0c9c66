import {
  runActionsFile,
  runDividendsFile,
  runEventsFile,
  runInstrumentsFile,
  runPricesFile,
  runSuppliesFile,
} from '../../ingest/datasets/run-operator-file.js'
import { ACTIONS_FILE_HELP } from '../../ingest/providers/operator/actions-file.js'
import { DIVIDENDS_FILE_HELP } from '../../ingest/providers/operator/dividends-file.js'
import { EVENTS_FILE_HELP } from '../../ingest/providers/operator/events-file.js'
import { INSTRUMENTS_FILE_HELP } from '../../ingest/providers/operator/instruments-file.js'
import { PRICES_FILE_HELP } from '../../ingest/providers/operator/prices-file.js'
import { SUPPLIES_FILE_HELP } from '../../ingest/providers/operator/supplies-file.js'
import { downloadBodyWith, fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import type { BodySource } from '../../ingest/run/feed-body.js'
import { UsageError } from '../usage-error.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { helpEntry, summarizeRun } from './feed.js'

/** Runs `instruments`, which loads the operator's own table of assets. */
export async function ingestInstruments({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('instruments', options)
  const summary = await runInstrumentsFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return summarizeRun('instruments', summary)
}

/** Runs `supplies`, which loads the operator's own table of supplies. */
export async function ingestSupplies({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('supplies', options)
  const summary = await runSuppliesFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return summarizeRun('supplies', summary)
}

/** Runs `corporate-actions`, which loads the operator's own table of corporate actions. */
export async function ingestActions({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('corporate-actions', options)
  const summary = await runActionsFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return summarizeRun('corporate-actions', summary)
}

/** Runs `dividends`, which loads the operator's own table of dividends. */
export async function ingestDividends({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('dividends', options)
  const summary = await runDividendsFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return summarizeRun('dividends', summary)
}

/** Runs `prices`, which loads the operator's own table of daily prices. */
export async function ingestPrices({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('prices', options)
  const summary = await runPricesFile({ ...world, fetchBody: fetchBodyWith(http) }, source)
  return summarizeRun('prices', summary)
}

/** Runs `events`, which loads the operator's own events of crypto assets. */
export async function ingestEvents({ http, ...world }: World, options: Options): Promise<Outcome> {
  const source = fileOf('events', options)
  const deps = { ...world, fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
  return summarizeRun('events', await runEventsFile(deps, source))
}

/** The help text of the operator's files. */
export function operatorFilesHelp(): string {
  const instruments = 'Your own assets, and corrections of the reference data'
  return (
    helpEntry('instruments', instruments, INSTRUMENTS_FILE_HELP) +
    helpEntry('supplies', 'Your own figures of the units of crypto assets', SUPPLIES_FILE_HELP) +
    helpEntry('corporate-actions', 'Your own corporate actions of stocks', ACTIONS_FILE_HELP) +
    helpEntry('dividends', 'Your own dividends of stocks', DIVIDENDS_FILE_HELP) +
    helpEntry('prices', 'Daily prices of stocks and ETFs', PRICES_FILE_HELP) +
    helpEntry('events', 'Your own events of crypto assets', EVENTS_FILE_HELP)
  )
}

function fileOf(name: string, options: Options): BodySource {
  assertNoCandleOptions(options)
  const [path, ...more] = options.files
  if (path === undefined || more.length > 0) throw new UsageError(`${name} needs one file: --file PATH`)
  return { kind: 'file', path }
}
