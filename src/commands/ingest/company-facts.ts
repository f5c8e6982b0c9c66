import { runCompanyFacts } from '../../ingest/datasets/filings/run-company-facts.js'
import { companyFactsFile } from '../../ingest/providers/sec/company-facts.js'
import { findFeed } from '../../ingest/registry.js'
import { downloadBodyWith } from '../../ingest/run/ask-for-body.js'
import { UsageError } from '../usage-error.js'
import { type Options, type Outcome, refuseCandleOptions, type World } from './command.js'
import { ingestFeed, outcomeOfSeveral, refuseWithoutKey } from './feed.js'

/** `sec-facts`: the figures of one company from a file, or of the stocks that have a CIK from EDGAR. */
export async function ingestCompanyFacts(world: World, options: Options): Promise<Outcome> {
  const { files, assets } = options
  refuseCandleOptions({ ...options, assets: [] })
  if (files.length > 0) {
    if (assets.length > 0) throw new UsageError('the file says whose figures it has: leave --asset out')
    return ingestFeed(findFeed(companyFactsFile.id))(world, options)
  }
  const { http, providerKeys, ...deps } = world
  refuseWithoutKey(companyFactsFile, providerKeys)
  const summary = await runCompanyFacts(deps, {
    downloadBody: downloadBodyWith(http),
    ...(assets.length === 0 ? {} : { slugs: assets }),
  })
  return outcomeOfSeveral(companyFactsFile.id, 'companies', summary)
}
