import { removeEvents, withdrawEvents, writeEvents } from '../domains/events/store.js'
import type { NewsArticle } from '../domains/news/model.js'
import { removeNews, writeNews } from '../domains/news/store.js'
import { SEED_SOURCE, type Sink } from './feed.js'
import type { OwnEvent } from './providers/operator/events-file.js'

/** Where headlines go; they are as new as the newest of them. */
export const newsSink: Sink<NewsArticle> = {
  write: writeNews,
  removeSeed: (tx) => removeNews(tx, SEED_SOURCE),
  newest: (articles) =>
    new Date(articles.reduce((newest, { publishedAt }) => Math.max(newest, publishedAt.getTime()), 0)),
}

/** Where events go; they are as new as the newest body. */
export const eventsSink: Sink<OwnEvent> = {
  write: async (tx, events, known) => {
    const stated = events.flatMap((event) => (event.kind === 'stated' ? event.row : []))
    const taken = events.flatMap((event) => (event.kind === 'withdrawn' ? event.eventHk : []))
    const { added, revised, unchanged } = await writeEvents(tx, stated, known)
    const withdrawn = await withdrawEvents(tx, taken, known)
    return { added, revised: revised + withdrawn, unchanged: unchanged + taken.length - withdrawn }
  },
  removeSeed: (tx) => removeEvents(tx, SEED_SOURCE),
  newest: (_events, { knownAt }) => knownAt,
}
