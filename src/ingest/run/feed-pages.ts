import { createHash } from 'node:crypto'
import { BrokenBody, type FeedRequest, type Page, type PagedFeed } from '../feed.js'
import { type BodySource, type FetchBody, loadFeedBody } from './feed-body.js'
import type { BodyDigest } from './ledger.js'

/** About ten times the pages of the largest feed; stops a provider that always names a further page. */
const MAX_PAGES = 500

/** All pages of a run are in memory at once. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Loads the pages of a feed: one from a file or from bytes, or all from its provider, one request after another. Throws
 * IngestError with a sentence for the operator.
 */
export async function loadFeedPages(
  feed: PagedFeed<unknown>,
  source: BodySource,
  from: { readonly now: Date; readonly fetchBody: FetchBody },
): Promise<readonly Page[]> {
  if (source.kind !== 'live') return [{ body: await loadFeedBody(feed, source, from), request: null }]
  const pages: Page[] = []
  let bytes = 0
  const waiting: FeedRequest[] = [...feed.requests(from.now)]
  for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
    if (pages.length >= MAX_PAGES) throw new BrokenBody(`the body has more than ${MAX_PAGES} pages`)
    const pageFeed = { ...feed, request: () => request }
    const page = { body: await loadFeedBody(pageFeed, source, from), request }
    bytes += page.body.length
    if (bytes > MAX_BYTES) throw new BrokenBody(`the pages have more than ${MAX_BYTES} bytes`)
    pages.push(page)
    const next = feed.next(page)
    if (next !== null) waiting.unshift(next)
  }
  return pages
}

/** The facts of all pages as one body. */
export function digestPages(pages: readonly Page[]): BodyDigest {
  const hash = createHash('sha256')
  for (const { body } of pages) hash.update(body)
  return { sha256: hash.digest('hex'), bytes: pages.reduce((sum, { body }) => sum + body.length, 0) }
}
