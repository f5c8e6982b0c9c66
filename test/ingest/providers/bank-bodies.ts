import type { MacroFact } from '../../../src/domains/macro/model.js'
import type { FeedRequest, PagedFeed, Parsed } from '../../../src/ingest/feed.js'

const NOW = new Date('2026-11-20T12:00:00Z')

/** What a feed reads from pages; each with what it answers, or from a file. */
export function readBodies(
  feed: PagedFeed<MacroFact>,
  bodies: readonly (string | Uint8Array)[],
  requests: readonly FeedRequest[] = [],
): readonly Parsed<MacroFact>[] {
  const pages = bodies.map((body, at) => ({
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    request: requests[at] ?? null,
  }))
  return [...feed.parsePages(pages, { now: NOW, onRead: () => undefined, onAbsent: () => undefined })]
}

/** `FM08 FXERD04 2025-01-06 157.5 whole` of each row, `position: reason` of each rejection. */
export function textsOf(parsed: readonly Parsed<MacroFact>[]): readonly string[] {
  return parsed.map((item) => {
    if (item.kind === 'rejected') return `${item.position}: ${item.reason}`
    const { row } = item
    const { dataset, seriesKey } = row.series
    if (row.periodStart === null) return `${dataset} ${seriesKey}`
    const whole = row.isOfWholeSeries ? ' whole' : ''
    return `${dataset} ${seriesKey} ${row.periodStart} ${row.value}${whole}`
  })
}

/** How many cells of the pages become rows, are rejected or are absent. */
export function readCounts(feed: PagedFeed<MacroFact>, bodies: readonly (string | Uint8Array)[]) {
  let absent = 0
  const pages = bodies.map((body) => ({
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    request: null,
  }))
  const onAbsent = (cells = 1) => {
    absent += cells
  }
  const parsed = [...feed.parsePages(pages, { now: NOW, onRead: () => undefined, onAbsent })]
  const rows = parsed.filter(({ kind }) => kind === 'row').length
  return { rows, rejected: parsed.length - rows, absent }
}
