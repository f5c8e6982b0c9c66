import type { CommodityPriceRow } from '../../../src/domains/commodities/model.js'
import type { Feed } from '../../../src/ingest/feed.js'

const NOW = new Date('2026-11-20T12:00:00Z')

/** `XAU 2026-06-01 4228` of each row that a feed reads from a body, `position: reason` of each rejection. */
export function pricesIn(feed: Feed<CommodityPriceRow>, body: string | Uint8Array): readonly string[] {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return [...feed.parse(bytes, { now: NOW, onRead: () => undefined, onAbsent: () => undefined })].map(
    (item) => {
      if (item.kind === 'rejected') return `${item.position}: ${item.reason}`
      const { symbol, priceDate, priceUsd } = item.row
      return `${symbol} ${priceDate} ${priceUsd}`
    },
  )
}
