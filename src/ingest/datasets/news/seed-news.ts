import { addDays, toIsoDate } from '../../../core/time.js'
import { headlineRule } from '../../../domains/news/headline-model.js'
import type { NewsArticle } from '../../../domains/news/model.js'
import type { StreamFeed } from '../../feed.js'
import { CRYPTO_ASSETS } from '../../providers/reference/assets.js'
import { parseNews } from '../../providers/rss/rss.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'

/** One headline a day for a year, so the newest is never older than a day. */
const DAYS = 365

const EDITORS = [
  'Example Wire',
  'Sample Ledger',
  'Placeholder Post',
  'Specimen Daily',
  'Demo Dispatch',
  'Mock Markets',
  'Fictional Finance Review',
  'Test Token Times',
] as const

const HEADLINES = [
  'Made-up survey: more readers have heard of {A}',
  '{A} and {B} compared in a made-up table',
  'Made-up meeting of {A} developers ends without news',
  '{A} in numbers: a made-up week',
  'What a made-up reader asks about {A} and {B}',
  'Made-up study counts wallets of {A}',
  'A week without events for {A}, say made-up sources',
  'Made-up conference puts {B} beside {A}',
] as const

const findMentions = headlineRule(CRYPTO_ASSETS)

/** Synthetic headlines, read like those of any feed. */
export const seedNews: StreamFeed<NewsArticle> = {
  id: 'seed-news',
  ...SEED_FEED,
  dataset: 'news',
  description: `Synthetic headlines of ${EDITORS.length} made-up editors in ${DAYS} days`,
  parseStream: (body, context) => parseNews(body, context, { feed: 'seed', url: null, findMentions }),
}

/** The headlines of the year before that day. */
export function seedNewsBody(now: Date): Uint8Array {
  const today = toIsoDate(now)
  const items = Array.from({ length: DAYS }, (_, at) => itemOf(addDays(today, -1 - at)))
  const feed = `<rss version="2.0"><channel><title>Made-up headlines</title>\n${items.join('\n')}\n</channel></rss>\n`
  return new TextEncoder().encode(feed)
}

/** The same day always has the same headline. */
function itemOf(day: string): string {
  const pick = <Item>(what: string, items: readonly Item[]) =>
    items[Math.floor(noise(`headline ${day} ${what}`) * items.length)]
  const assets = { A: pick('first', CRYPTO_ASSETS.slice(0, 40)), B: pick('second', CRYPTO_ASSETS) }
  const headline = pick('title', HEADLINES) ?? ''
  const title = headline.replace(/\{([AB])\}/g, (_, place: 'A' | 'B') => named(assets[place]))
  const publishedAt = new Date(`${day}T07:00:00Z`)
  publishedAt.setUTCMinutes(Math.floor(noise(`headline ${day} minute`) * 600))
  return (
    `<item><title>${title}</title><link>https://news.example/${day}</link>` +
    `<pubDate>${publishedAt.toUTCString()}</pubDate>` +
    `<source url="https://news.example/">${pick('editor', EDITORS)}</source></item>`
  )
}

/** With the ticker in brackets, a name that is an ordinary word is recognized too. */
function named(asset: (typeof CRYPTO_ASSETS)[number] | undefined): string {
  return asset === undefined ? '' : `${asset.name} ($${asset.ticker})`
}
