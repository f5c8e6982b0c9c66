import { runCompanyFacts } from '../../ingest/datasets/filings/run-company-facts.js'
import { companyFactsFile } from '../../ingest/providers/sec/company-facts.js'
import { findFeed } from '../../ingest/registry.js'
import { downloadBodyWith } from '../../ingest/run/ask-for-body.js'
import { UsageError } from '../usage-error.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { assertProviderKey, ingestFeed, summarizeRuns } from './feed.js'

/** Runs `sec-facts`, which loads the figures of one company from a file, or of all stocks with a CIK from EDGAR. */
export async function ingestCompanyFacts(world: World, options: Options): Promise<Outcome> {
  const { files, assets } = options
  assertNoCandleOptions({ ...options, assets: [] })
  if (files.length > 0) {
    if (assets.length > 0) throw new UsageError('remove --asset: the file names its company')
    return ingestFeed(findFeed(companyFactsFile.id))(world, options)
  }
  const { http, providerKeys, ...deps } = world
  assertProviderKey(companyFactsFile, providerKeys)
  const summary = await runCompanyFacts(deps, {
    downloadBody: downloadBodyWith(http),
    ...(assets.length === 0 ? {} : { slugs: assets }),
  })
  return summarizeRuns(companyFactsFile.id, 'companies', summary)
}
