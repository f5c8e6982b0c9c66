import { runFigiSymbols } from '../../ingest/datasets/instruments/run-figi-symbols.js'
import { figiSymbols } from '../../ingest/providers/openfigi/figi-symbols.js'
import { findFeed } from '../../ingest/registry.js'
import { fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { ingestFeed, summarizeRuns } from './feed.js'

/** Runs `figi-symbols`, which loads one answer from a file, or the tickers of all FIGIs from OpenFIGI. */
export async function ingestFigiSymbols(world: World, options: Options): Promise<Outcome> {
  assertNoCandleOptions(options)
  if (options.files.length > 0) return ingestFeed(findFeed(figiSymbols.id))(world, options)
  const { http, openFigi, ...deps } = world
  const summary = await runFigiSymbols({ ...deps, fetchBody: fetchBodyWith(http) }, openFigi)
  return summarizeRuns(figiSymbols.id, 'answers', summary)
}
