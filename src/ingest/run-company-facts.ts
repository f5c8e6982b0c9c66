import { open } from 'node:fs/promises'
import { type Filer, readFilers } from '../domains/filings/facts-store.js'
import { type DownloadClient, UpstreamError } from '../platform/http-client/http-client.js'
import { bindFeed, IngestError, type RetryLater } from './feed.js'
import { filingsSink } from './filings-sink.js'
import { companyFacts } from './providers/sec/company-facts.js'
import { SEC_PAUSE_MS, shutOut } from './providers/sec/request.js'
import { type DownloadBody, downloadBodyWith } from './read-body.js'
import type { IngestDeps } from './run.js'
import { runSeveral, type SeveralSummary } from './run-several.js'

const LESS_THAN = 0x3c

export interface CompanyFactsOptions {
  readonly downloadBody: DownloadBody
  /** Slugs of the assets whose companies are asked for; left out: all that have a CIK. */
  readonly slugs?: readonly string[]
  /** Between two requests; left out: as SEC asks for. */
  readonly pauseMs?: number
  readonly signal?: AbortSignal
}

/**
 * Asks EDGAR for the figures of the companies behind the stocks, one after the other, each a run of `sec-facts` of its own.
 * Throws IngestError for a slug of no such stock, and RetryLater where EDGAR shuts this address out.
 */
export async function runCompanyFacts(
  deps: IngestDeps,
  { downloadBody, slugs, pauseMs = SEC_PAUSE_MS, signal }: CompanyFactsOptions,
): Promise<SeveralSummary> {
  const filers = chosen(await readFilers(deps.database), slugs)
  const fetchBody = () => Promise.reject(new Error('companyfacts are downloaded'))
  const runs = filers.map(({ cik, slugs: [slug = cik] }) => ({
    name: slug,
    bound: bindFeed(companyFacts(cik), filingsSink),
    source: { kind: 'live' } as const,
  }))
  return runSeveral({ ...deps, fetchBody, downloadBody }, runs, {
    pauseMs,
    ...(signal === undefined ? {} : { signal }),
  })
}

function chosen(filers: readonly Filer[], slugs: readonly string[] | undefined): readonly Filer[] {
  if (slugs === undefined) return filers
  const unknown = slugs.filter((slug) => !filers.some((filer) => filer.slugs.includes(slug)))
  if (unknown.length > 0) throw new IngestError(`no stock with a CIK has the slug ${unknown.join(', ')}`)
  return filers.filter((filer) => filer.slugs.some((slug) => slugs.includes(slug)))
}

/**
 * Downloads from EDGAR. It answers 403, or a page with status 200, to who asks too fast or does not say who asks: that is
 * RetryLater, as a 429 is.
 */
export function downloadFromSec(client: DownloadClient): DownloadBody {
  const download = downloadBodyWith({
    download: async (request, path) => {
      const downloaded = await client.download(request, path).catch((error: unknown) => {
        throw error instanceof UpstreamError && error.status === 429 ? answeredWith('status 429') : error
      })
      if (downloaded.status === 403) throw answeredWith('status 403')
      return downloaded
    },
  })
  return async (request, path) => {
    await download(request, path)
    if ((await firstByte(path)) === LESS_THAN) throw answeredWith('a page')
  }
}

function answeredWith(answer: string): RetryLater {
  return shutOut(`SEC EDGAR answers with ${answer}: it shuts this address out for ten minutes`)
}

/** The first byte that is no blank, among the first hundred; null for none. */
async function firstByte(path: string): Promise<number | null> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0)
    return buffer.subarray(0, bytesRead).find((byte) => byte > 0x20) ?? null
  } finally {
    await file.close()
  }
}
