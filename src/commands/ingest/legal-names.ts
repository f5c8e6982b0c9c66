import { runLegalNames } from '../../ingest/datasets/screening/run-legal-names.js'
import { gleifRecords } from '../../ingest/providers/gleif/lei-records.js'
import { findFeed } from '../../ingest/registry.js'
import { fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { ingestFeed } from './feed.js'

/** Runs `gleif`, which loads legal names from a file, or from GLEIF for entities that are listed without a name. */
export async function ingestLegalNames(world: World, options: Options): Promise<Outcome> {
  assertNoCandleOptions(options)
  if (options.files.length > 0) return ingestFeed(findFeed(gleifRecords.id))(world, options)
  const { http, ...deps } = world
  const summary = await runLegalNames({ ...deps, fetchBody: fetchBodyWith(http) })
  const { requested, unnamed, added, revised, unchanged, rejected, absent } = summary
  const counts = `${added} added, ${revised} revised, ${unchanged} unchanged, ${rejected} rejected, ${absent} absent; ${unnamed} still have no name`
  return { summary, text: `gleif: requested the names of ${requested} LEIs: ${counts}\n`, isEmpty: false }
}
