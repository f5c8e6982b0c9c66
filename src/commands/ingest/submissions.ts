import { IngestError } from '../../ingest/feed.js'
import { SEC_VARIABLE } from '../../ingest/providers/sec/request.js'
import { secSubmissions } from '../../ingest/providers/sec/submissions.js'
import { fetchBodyWith } from '../../ingest/read-body.js'
import { findFeed } from '../../ingest/registry.js'
import { runSubmissions } from '../../ingest/run-submissions.js'
import { type Options, type Outcome, refuseCandleOptions, type World } from './command.js'
import { ingestFeed } from './feed.js'

/** `sec-submissions`: one company from a file, or all US companies among the stocks from the SEC. */
export async function ingestSubmissions(world: World, options: Options): Promise<Outcome> {
  refuseCandleOptions(options)
  if (options.files.length > 0) return ingestFeed(findFeed(secSubmissions.id))(world, options)
  const { http, providerKeys, ...deps } = world
  if (providerKeys[SEC_VARIABLE] === undefined)
    throw new IngestError(`${secSubmissions.id} is off: set ${SEC_VARIABLE}, or give it a file by --file`)
  const summary = await runSubmissions({ ...deps, fetchBody: fetchBodyWith(http) })
  const { done, added, revised, unchanged, rejected, failed } = summary
  const counts = `${added} added, ${revised} revised, ${unchanged} unchanged, ${rejected} rejected`
  const failures = failed.map(({ name, reason }) => `  failed ${name}: ${reason}\n`).join('')
  const text = `${secSubmissions.id}: ${done} companies read: ${counts}\n${failures}`
  return { summary, text, isEmpty: done === 0 && failed.length > 0 }
}
