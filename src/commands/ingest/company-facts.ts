import { IngestError } from '../../ingest/feed.js'
import { companyFactsFile } from '../../ingest/providers/sec/company-facts.js'
import { SEC_VARIABLE } from '../../ingest/providers/sec/request.js'
import { findFeed } from '../../ingest/registry.js'
import { downloadFromSec, runCompanyFacts } from '../../ingest/run-company-facts.js'
import { type Options, type Outcome, refuseCandleOptions, UsageError, type World } from './command.js'
import { ingestFeed } from './feed.js'

/** `sec-facts`: the figures of one company from a file, or of the stocks that have a CIK from EDGAR. */
export async function ingestCompanyFacts(world: World, options: Options): Promise<Outcome> {
  const { files, assets } = options
  refuseCandleOptions({ ...options, assets: [] })
  if (files.length > 0) {
    if (assets.length > 0) throw new UsageError('the file says whose figures it has: leave --asset out')
    return ingestFeed(findFeed(companyFactsFile.id))(world, options)
  }
  const { http, providerKeys, ...deps } = world
  if (providerKeys[SEC_VARIABLE] === undefined)
    throw new IngestError(`sec-facts is off: set ${SEC_VARIABLE}, or give it a file by --file`)
  const summary = await runCompanyFacts(deps, {
    downloadBody: downloadFromSec(http),
    ...(assets.length === 0 ? {} : { slugs: assets }),
  })
  const { done, added, revised, unchanged, rejected, failed } = summary
  const counts = `${added} added, ${revised} revised, ${unchanged} unchanged, ${rejected} rejected`
  const failures = failed.map(({ name, reason }) => `  ${name}: ${reason}\n`).join('')
  const text = `sec-facts: ${done} companies read: ${counts}\n${failures}`
  return { summary, text, isEmpty: done === 0 && failed.length > 0 }
}
