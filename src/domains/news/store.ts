import { NEWS_ARTICLE, NEWS_MENTION } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
  type WrittenRows,
} from '../../platform/bi-temporal/series-table.js'
import { missingWithdrawer } from '../../platform/bi-temporal/withdraw/withdraw-missing.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import { arraysOf, statement } from '../../platform/database/statement.js'
import type { Mention, NewsArticle } from './model.js'

interface MentionKey {
  readonly articleHk: string
  readonly assetId: number
}

type MentionRow = MentionKey & Mention

const MENTIONS = {
  name: 'news_mention',
  key: storedColumns(NEWS_MENTION, 'articleHk', 'assetId'),
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<MentionKey>

const writeArticles = seriesWriter<NewsArticle>({
  name: 'news_article',
  key: storedColumns(NEWS_ARTICLE, 'articleHk'),
  values: [
    storedColumn(NEWS_ARTICLE, 'newsSourceId', ({ editor }) => editor.newsSourceId),
    ...storedColumns(NEWS_ARTICLE, 'title', 'link', 'publishedAt', 'feed'),
  ],
  notes: [SOURCE_COLUMN],
})
const writeMentions = seriesWriter<MentionRow>({
  ...MENTIONS,
  values: storedColumns(NEWS_MENTION, 'matchedBy'),
})
const withdrawMentions = missingWithdrawer<MentionKey>(MENTIONS, 'article_hk')

const UPSERT_EDITORS = statement(
  'bulk',
  { newsSourceId: 'text' },
  `insert into news_source as s
     (news_source_id, editor, editor_normalized, first_seen_at, last_seen_at, loaded_at, source)
   select g.news_source_id, g.editor, g.editor_normalized, g.first_seen_at, g.last_seen_at, $6::timestamptz, $7::text
   from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
     as g(news_source_id, editor, editor_normalized, first_seen_at, last_seen_at)
   on conflict (news_source_id) do update set
     first_seen_at = least(s.first_seen_at, excluded.first_seen_at),
     last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at), loaded_at = excluded.loaded_at
   where excluded.first_seen_at < s.first_seen_at or excluded.last_seen_at > s.last_seen_at
   returning s.news_source_id as "newsSourceId"`,
)

/**
 * Adds and revises articles with their mentions; see `seriesWriter`. An article that another feed gave first counts
 * as unchanged, because two feeds with different texts would revise it for ever. The counts are those of articles;
 * changed mentions are in `alsoChanged`.
 */
export async function writeNews(
  tx: Transaction,
  articles: readonly NewsArticle[],
  known: Known,
): Promise<WrittenRows> {
  const foreign = await foreignOf(tx, articles)
  const own = articles.filter(({ articleHk }) => !foreign.has(articleHk))
  if (own.length > 0) await upsertEditors(tx, own, known)
  const written = await writeArticles(tx, own, known)
  const named = own.flatMap(({ articleHk, mentions }) =>
    mentions.map((mention) => ({ articleHk, ...mention })),
  )
  const mentions = await writeMentions(tx, named, known)
  const owners = own.map(({ articleHk }) => articleHk)
  const gone = await withdrawMentions(tx, owners, named, known)
  const unchanged = written.unchanged + articles.length - own.length
  return { ...written, unchanged, alsoChanged: mentions.added + mentions.revised + gone }
}

/** Keys of the articles that another feed gave first. */
async function foreignOf(
  { prisma }: Transaction,
  articles: readonly NewsArticle[],
): Promise<ReadonlySet<string>> {
  const feeds = new Map(articles.map(({ articleHk, feed }) => [articleHk, feed]))
  const stored = await prisma.newsArticle.findMany({
    where: { articleHk: { in: [...feeds.keys()] }, knownTo: null },
    select: { articleHk: true, feed: true },
  })
  return new Set(stored.flatMap(({ articleHk, feed }) => (feed === feeds.get(articleHk) ? [] : articleHk)))
}

async function upsertEditors(tx: Transaction, articles: readonly NewsArticle[], { knownAt, source }: Known) {
  // A statement may write a row only once.
  const seen = new Map<string, { readonly article: NewsArticle; first: Date; last: Date }>()
  for (const article of articles) {
    const { editor, publishedAt } = article
    const editorSeen = seen.get(editor.newsSourceId) ?? { article, first: publishedAt, last: publishedAt }
    if (publishedAt < editorSeen.first) editorSeen.first = publishedAt
    if (publishedAt > editorSeen.last) editorSeen.last = publishedAt
    seen.set(editor.newsSourceId, editorSeen)
  }
  const editors = [...seen.values()]
  await tx.rows(UPSERT_EDITORS, [
    editors.map(({ article }) => article.editor.newsSourceId),
    editors.map(({ article }) => article.editor.name),
    editors.map(({ article }) => article.editor.normalized),
    ...arraysOf(editors, 'first', 'last'),
    knownAt,
    source,
  ])
}

/** Removes the articles of a source, and editors without another article; returns the number of rows. */
export async function removeNews(tx: Transaction, source: string): Promise<number> {
  const removed = await removeArticles(tx, source)
  const { count } = await tx.prisma.newsSource.deleteMany({ where: { source, articles: { none: {} } } })
  return removed + count
}

const removeArticles = sourceRemover(({ newsMention, newsArticle }) => [newsMention, newsArticle])
