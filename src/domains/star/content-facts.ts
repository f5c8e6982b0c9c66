import { ANALYSIS_TYPES } from '../analysis/model.js'
import { EVENT_TYPE_IDS } from '../events/model.js'
import {
  assetId,
  assetSk,
  dateKey,
  isCrypto,
  loadedAt,
  type StarColumn,
  type StarTable,
  surrogateKey,
  utcDay,
} from './table.js'

/** A column that may be missing. */
const notKnown = { isNullable: true } as const

const ARTICLE_HK: StarColumn = {
  type: 'text',
  text: 'Key of the article: SHA-256 of its normalised link, lower-case hexadecimal.',
  sql: 'n.article_hk',
  rule: `value ~ '^[0-9a-f]{64}$'`,
}

const NEWS_SOURCE_SK: StarColumn = {
  type: 'text',
  ...notKnown,
  text: 'Key of the editor in dim_news_source. Null: not known.',
  sql: surrogateKey('n.news_source_id'),
  references: { view: 'dim_news_source', column: 'news_source_sk', edge: 'news_source' },
}

const PUBLISHED_AT: StarColumn = {
  type: 'timestamptz',
  text: 'When the article was published.',
  sql: 'n.published_at',
}

export const FACT_NEWS_MENTION: StarTable = {
  view: 'fact_news_mention',
  kind: 'fact',
  text: 'A crypto asset that the headline of an article names.',
  key: ['news_mention_sk'],
  columns: {
    news_mention_sk: {
      type: 'text',
      isUnique: true,
      text: 'Key of the mention: md5 of the article and the asset.',
      sql: surrogateKey('m.article_hk', 'm.asset_id::text'),
    },
    article_hk: ARTICLE_HK,
    asset_sk: assetSk('m.asset_id'),
    news_source_sk: NEWS_SOURCE_SK,
    date_sk: dateKey(utcDay('n.published_at')),
    published_at: PUBLISHED_AT,
    // The last column here and below, because an existing view accepts new columns only at its end.
    asset_id: assetId('m.asset_id'),
  },
  from: `from news_article as n
  join news_mention as m on m.article_hk = n.article_hk and m.known_to is null and not m.is_withdrawn
  where n.known_to is null and ${isCrypto('m.asset_id')}`,
  reads: ['news', 'instruments'],
  endpoint: {
    path: 'news-mentions',
    typeName: 'FactNewsMentionRead',
    summary: 'Assets named by news',
    keywords: ['headlines', 'news articles', 'press', 'mentions'],
    order: ['published_at', 'news_mention_sk'],
    time: { name: 'published_at', kind: 'instant' },
  },
  counts: [
    { table: 'news_article', by: 'recount', day: utcDay('r.published_at') },
    {
      table: 'news_mention',
      by: 'recount',
      day: `(select ${utcDay('n.published_at')} from news_article as n where n.article_hk = r.article_hk and n.known_to is null)`,
    },
  ],
}

const EVENT_DAY = 'e.event_date'

export const FACT_EVENT: StarTable = {
  view: 'fact_event',
  kind: 'fact',
  text: 'A dated event and a crypto asset that it is about.',
  key: ['event_fact_sk'],
  columns: {
    event_fact_sk: {
      type: 'text',
      isUnique: true,
      text: 'Key of the row: md5 of the event and the asset.',
      sql: surrogateKey('e.event_hk', 'm.asset_id::text'),
    },
    event_hk: {
      type: 'text',
      text: 'Key of the event, SHA-256 in lower-case hexadecimal; the same for all its assets.',
      sql: 'e.event_hk',
    },
    asset_sk: assetSk('m.asset_id'),
    event_type_id: {
      type: 'text',
      ...notKnown,
      text: 'Kind of the event in dim_event_type. Null: not known.',
      sql: 'e.event_type',
      references: { view: 'dim_event_type', column: 'event_type_id', edge: 'event_type' },
      values: EVENT_TYPE_IDS,
    },
    date_sk: { ...dateKey(EVENT_DAY), ...notKnown },
    event_date: {
      type: 'date',
      ...notKnown,
      text: 'UTC day of the event, which may lie ahead. Null: not known.',
      sql: EVENT_DAY,
    },
    event_title: {
      type: 'text',
      ...notKnown,
      text: 'The event in a line. Null where it has none.',
      sql: 'e.title',
    },
    event_description: {
      type: 'text',
      ...notKnown,
      text: 'The event in more words. Null where it has none.',
      sql: 'e.description',
    },
    event_url: {
      type: 'text',
      ...notKnown,
      text: 'Where it is reported. Null where that is not known.',
      sql: 'e.url',
    },
    source: {
      type: 'text',
      ...notKnown,
      text: 'Who reported it. Null where that is not known.',
      sql: 'e.reported_by',
    },
    asset_id: assetId('m.asset_id'),
  },
  from: `from asset_event as e
  join asset_event_asset as m on m.event_hk = e.event_hk and m.known_to is null and not m.is_withdrawn
  where e.known_to is null and not e.is_withdrawn and ${isCrypto('m.asset_id')}`,
  reads: ['events', 'instruments'],
  endpoint: {
    path: 'events',
    typeName: 'FactEventRead',
    summary: 'Events of assets',
    keywords: ['token unlock', 'hard fork', 'upcoming events', 'event calendar'],
    order: ['event_date', 'event_fact_sk'],
    time: { name: 'event_date', kind: 'day' },
  },
  counts: [
    { table: 'asset_event', by: 'recount', day: 'r.event_date' },
    {
      table: 'asset_event_asset',
      by: 'recount',
      day: '(select e.event_date from asset_event as e where e.event_hk = r.event_hk and e.known_to is null)',
    },
  ],
}

const GENERATED_DAY = utcDay('s.generated_at')

/** SQL: a snapshot without a correction. */
const uncorrected = (snapshot: string) =>
  `not exists (select 1 from analysis_snapshot as n where n.supersedes = ${snapshot}.snapshot_id)`

export const FACT_AI_ANALYSIS: StarTable = {
  view: 'fact_ai_analysis',
  kind: 'fact',
  text: 'The last analysis of a kind of a crypto asset on a UTC day; none is a recommendation.',
  key: ['ai_analysis_sk'],
  columns: {
    ai_analysis_sk: {
      type: 'text',
      isUnique: true,
      text: 'Key of the row: md5 of the asset, the kind and the day.',
      sql: surrogateKey('s.asset_id::text', 's.analysis_type::text', `${GENERATED_DAY}::text`),
    },
    asset_sk: assetSk('s.asset_id'),
    analysis_type_id: {
      type: 'text',
      text: 'Kind of the analysis in dim_analysis_type.',
      sql: 's.analysis_type',
      references: { view: 'dim_analysis_type', column: 'analysis_type_id', edge: 'analysis_type' },
      values: ANALYSIS_TYPES,
    },
    date_sk: dateKey(GENERATED_DAY),
    generated_date: { type: 'date', text: 'UTC day on which it was generated.', sql: GENERATED_DAY },
    model_id: { type: 'text', text: 'Model that made it.', sql: 's.model_id' },
    prompt_version: {
      type: 'text',
      ...notKnown,
      text: 'Version of the prompt. Null for a model without one.',
      sql: 's.prompt_version',
    },
    content_json: {
      type: 'jsonb',
      ...notKnown,
      text: 'What the analysis says: summary, score and signals; never a verdict, a fair value or a valuation. Null where nothing is stored.',
      sql: 'star_content(s.content::jsonb)',
      rule: `not value @? '$.** ? (exists (@.investment_verdict) || exists (@.fair_value) || exists (@.valuation_status))'`,
    },
    methodology_version: {
      type: 'text',
      ...notKnown,
      text: 'Version of the method. Null: not known.',
      sql: 's.methodology_version',
    },
    asset_id: assetId('s.asset_id'),
  },
  from: `from analysis_snapshot as s
  where s.source = (select d.source from dataset_state as d where d.dataset = 'analysis')
    and ${uncorrected('s')}
    and not exists (
      select 1 from analysis_snapshot as l
      where l.asset_id = s.asset_id and l.analysis_type = s.analysis_type and l.source = s.source
        and ${utcDay('l.generated_at')} = ${GENERATED_DAY}
        and (l.generated_at, l.sequence) > (s.generated_at, s.sequence) and ${uncorrected('l')})
    and ${isCrypto('s.asset_id')}`,
  reads: ['analysis', 'instruments'],
  method: {
    summary: 'Each analysis is made by the method of its kind, in the version that the row names.',
    section: 'ai-analyses',
  },
  endpoint: {
    path: 'ai-analysis',
    typeName: 'FactAiAnalysisRead',
    summary: 'Analyses by day',
    keywords: ['fact table of analyses'],
    order: ['generated_date', 'ai_analysis_sk'],
    time: { name: 'generated_date', kind: 'day' },
  },
}

export const SAT_ASSET_NEWS: StarTable = {
  view: 'sat_asset_news_public',
  kind: 'satellite',
  text: 'Headlines of articles.',
  key: ['article_hk'],
  columns: {
    article_hk: { ...ARTICLE_HK, isUnique: true },
    title: { type: 'text', text: 'The headline.', sql: 'n.title' },
    url: { type: 'text', text: 'Address of the article.', sql: 'n.link', rule: `value ~ '^https?://'` },
    news_source_sk: NEWS_SOURCE_SK,
    published_at: PUBLISHED_AT,
    load_ts: loadedAt('n.known_from'),
  },
  from: 'from news_article as n\n  where n.known_to is null',
  reads: ['news'],
}
