import { type Filer, loadFilers } from '../../../domains/filings/facts-store.js'
import { bindFeed, IngestError } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
import { companyFacts, companyFactsFile } from '../../providers/sec/company-facts.js'
import type { FeedsSummary } from '../../run/run-feeds.js'
import { byCron } from '../../schedule.js'
import { filingsSink } from './ingestion.js'

const { id, dataset, cadence, keyVariable } = companyFactsFile

/**
 * Requests the figures of the companies behind the stocks from EDGAR, at night in New York: of all followed ones that have a
 * CIK. A company that only the SEC's list names is requested by its slug only. Throws IngestError for a slug that is not such
 * a stock, and RetryLater while EDGAR blocks this address.
 */
export const companyFactsGroup: FeedGroup<FeedsSummary> = {
  name: id,
  keyVariable,
  job: { dataset, cadence, schedule: byCron('10 8 * * *', 600_000), needsAssets: true },
  command: {
    options: ['asset', 'file'],
    explainSelection: ({ source, assets }) =>
      source.kind === 'file' && assets.length > 0 ? 'remove --asset: the file names its company' : null,
  },
  run: runEach(id, 'companies', async ({ database }, { assets }) => {
    const filers = chosen(await loadFilers(database), assets)
    return filers.map(({ cik, slugs: [slug = cik] }) =>
      liveRun(slug, bindFeed(companyFacts(cik), filingsSink)),
    )
  }),
}

function chosen(filers: readonly Filer[], slugs: readonly string[]): readonly Filer[] {
  if (slugs.length === 0) return filers.filter(({ isFollowed }) => isFollowed)
  const unknown = slugs.filter((slug) => !filers.some((filer) => filer.slugs.includes(slug)))
  if (unknown.length > 0) throw new IngestError(`no stock with a CIK has the slug ${unknown.join(', ')}`)
  return filers.filter((filer) => filer.slugs.some((slug) => slugs.includes(slug)))
}
