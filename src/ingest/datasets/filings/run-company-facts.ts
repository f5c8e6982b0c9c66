import { type Filer, loadFilers } from '../../../domains/filings/facts-store.js'
import { bindFeed, IngestError } from '../../feed.js'
import { sec } from '../../providers/providers.js'
import { companyFacts } from '../../providers/sec/company-facts.js'
import type { DownloadBody } from '../../run/feed-body.js'
import type { IngestDeps } from '../../run/run.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { filingsSink } from './ingestion.js'

export interface CompanyFactsOptions {
  readonly downloadBody: DownloadBody
  /** Slugs of the assets whose companies are requested; by default all followed ones that have a CIK. */
  readonly slugs?: readonly string[]
  readonly signal?: AbortSignal
}

/**
 * Requests the figures of the companies behind the stocks from EDGAR, one after another; each is a separate run of
 * `sec-facts`. A company that only the SEC's list names is requested by its slug only. Throws IngestError for a slug that is not such a stock, and RetryLater while EDGAR blocks this
 * address.
 */
export async function runCompanyFacts(
  deps: IngestDeps,
  { downloadBody, slugs, signal }: CompanyFactsOptions,
): Promise<FeedsSummary> {
  const filers = chosen(await loadFilers(deps.database), slugs)
  const fetchBody = () => Promise.reject(new Error('companyfacts are downloaded'))
  const runs = filers.map(({ cik, slugs: [slug = cik] }) => ({
    name: slug,
    provider: sec.id,
    bound: bindFeed(companyFacts(cik), filingsSink),
    source: { kind: 'live' } as const,
  }))
  return runFeeds({ ...deps, fetchBody, downloadBody }, runs, signal === undefined ? {} : { signal })
}

function chosen(filers: readonly Filer[], slugs: readonly string[] | undefined): readonly Filer[] {
  if (slugs === undefined) return filers.filter(({ isFollowed }) => isFollowed)
  const unknown = slugs.filter((slug) => !filers.some((filer) => filer.slugs.includes(slug)))
  if (unknown.length > 0) throw new IngestError(`no stock with a CIK has the slug ${unknown.join(', ')}`)
  return filers.filter((filer) => filer.slugs.some((slug) => slugs.includes(slug)))
}
