import { runSubmissions } from '../../ingest/datasets/instruments/run-submissions.js'
import { secSubmissions } from '../../ingest/providers/sec/submissions.js'
import { findFeed } from '../../ingest/registry.js'
import { fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { assertProviderKey, ingestFeed, summarizeRuns } from './feed.js'

/** Runs `sec-submissions`, which loads one company from a file, or all US companies among the stocks from the SEC. */
export async function ingestSubmissions(world: World, options: Options): Promise<Outcome> {
  assertNoCandleOptions(options)
  if (options.files.length > 0) return ingestFeed(findFeed(secSubmissions.id))(world, options)
  const { http, providerKeys, ...deps } = world
  assertProviderKey(secSubmissions, providerKeys)
  const summary = await runSubmissions({ ...deps, fetchBody: fetchBodyWith(http) })
  return summarizeRuns(secSubmissions.id, 'companies', summary)
}
