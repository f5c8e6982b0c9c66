import type { NewsArticle } from '../../../domains/news/model.js'
import { removeNews, writeNews } from '../../../domains/news/store.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { seedNews, seedNewsBody } from './seed-news.js'

/** Writes headlines. They are as new as the newest one. */
export const newsSink: Sink<NewsArticle> = {
  write: writeNews,
  removeSeed: (tx) => removeNews(tx, SEED_SOURCE),
  newest: (articles) =>
    new Date(articles.reduce((newest, { publishedAt }) => Math.max(newest, publishedAt.getTime()), 0)),
}

/** Headlines of publishers, loaded feed by feed. */
export const news = {
  seed: { news: seedFeed(seedNews, newsSink, seedNewsBody) },
} satisfies Ingestion
