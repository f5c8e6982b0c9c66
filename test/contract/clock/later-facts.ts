import type { Database, Transaction } from '../../../src/platform/database/database.js'

/** Texts and numbers of facts that are learned later, which no answer as of an earlier instant may contain. */
export const LATER_MARK = /zzl(?:ater|[csf]\b|\d)|(?<![\d.])77771(?!\d)|0\.77771(?!\d)/gi

const TEXT = `'ZZLATER'`
const NUMBER = '77771.25'
const SHARE = '0.77771'

/** How the facts of a table change: every third known row gets other values, and the newest rows one that follows. */
interface LaterRows {
  readonly table: string
  /** SQL of the values of a later row, by column. */
  readonly values: Readonly<Record<string, string>>
  /** SQL of the key of a new row, by column; none if the table gets no new rows. */
  readonly next?: Readonly<Record<string, string>>
  /** SQL condition of the rows that new ones follow. */
  readonly after?: string
}

const SERIES: readonly LaterRows[] = [
  {
    table: 'forex_rate',
    values: { rate: NUMBER },
    next: { date: 'date + 1' },
    after: 'date = (select max(date) from forex_rate)',
  },
  {
    table: 'candle',
    values: { vwap_usd: NUMBER, volume_usd: '77771000' },
    next: { ts: `ts + case timeframe when '1d' then interval '1 day' else interval '1 hour' end` },
    after: '(timeframe, ts) in (select timeframe, max(ts) from candle group by timeframe)',
  },
  {
    table: 'macro_observation',
    values: { value: NUMBER },
    next: { period_start: 'period_start + 400' },
    after: 'period_start >= (select max(period_start) - 100 from macro_observation)',
  },
  {
    table: 'commodity_price',
    values: { price_usd: NUMBER },
    next: { price_date: 'price_date + 31' },
    after: 'price_date = (select max(price_date) from commodity_price)',
  },
  {
    table: 'daily_price',
    values: { open: NUMBER, high: NUMBER, low: NUMBER, close: NUMBER, volume: '77771' },
    next: { date: 'date + 3' },
    after: 'date = (select max(date) from daily_price)',
  },
  {
    table: 'corporate_action',
    values: { ratio: SHARE, description: TEXT },
    next: { ex_date: `date '2026-11-18'` },
    after: `(asset_id, ex_date) in (select asset_id, max(ex_date) from corporate_action group by asset_id) and action_type = 'split'`,
  },
  {
    table: 'dividend',
    values: { amount: NUMBER },
    next: { ex_date: 'ex_date + 1' },
    after: '(asset_id, ex_date) in (select asset_id, max(ex_date) from dividend group by asset_id)',
  },
  {
    table: 'asset_fundamentals',
    values: { fees_30d_usd: NUMBER, ps_ratio: NUMBER, pr_ratio: NUMBER },
    next: { snapshot_date: 'snapshot_date + 1' },
    after: 'snapshot_date = (select max(snapshot_date) from asset_fundamentals)',
  },
  {
    table: 'asset_onchain',
    values: {
      active_addresses: '77771',
      circulating_supply: NUMBER,
      mvrv_ratio: NUMBER,
      realized_cap_usd: NUMBER,
    },
    next: { snapshot_date: 'snapshot_date + 1' },
    after: 'snapshot_date = (select max(snapshot_date) from asset_onchain)',
  },
  { table: 'asset_supply', values: { supply: '77771000', methodology: TEXT } },
  { table: 'filed_fact', values: { value: '77771000' } },
  { table: 'legal_entity', values: { legal_name: TEXT } },
  { table: 'protocol_tvl', values: { tvl_usd: NUMBER } },
  { table: 'protocol_economics', values: { total_24h_usd: NUMBER, total_30d_usd: NUMBER } },
  { table: 'asset_event', values: { title: TEXT, description: TEXT } },
  { table: 'news_article', values: { title: TEXT } },
  { table: 'sanctions_subject', values: { name: TEXT, programs: `array['ZZLATER']` } },
  { table: 'sanctions_listing', values: { programs: `array['ZZLATER']` } },
]

/** Assets that appear later, one of each class that has prices. */
const NEW_ASSETS = [
  { id: 900_001, slug: 'zzlater-coin', ticker: 'ZZLC', like: 'bitcoin' },
  { id: 900_002, slug: 'zzlater-stock', ticker: 'ZZLS', like: 'apple' },
  { id: 900_003, slug: 'zzlater-fund', ticker: 'ZZLF', like: null },
] as const

/** Names that the later facts bring, for questions. */
export const LATER_NAMES = NEW_ASSETS.map(({ slug, ticker }) => ({ slug, ticker }))

/** Adds what a gateway learns at an instant after those of the seeded world: revisions, new periods, new assets, new names, releases of data. */
export async function addLaterFacts(database: Database, at: Date): Promise<void> {
  const learned = at.toISOString()
  await database.transaction(async (tx) => {
    for (const rows of SERIES) await addRows(tx, rows, learned)
    await addReports(tx, learned)
    await addSnapshots(tx, learned)
    await addSeries(tx, learned)
    for (const asset of NEW_ASSETS) await addAsset(tx, asset, learned)
    await renameAssets(tx, learned)
    await tx.rows(
      `update dataset_state set version = version + 5, observed_at = $1, changed_at = $1, commit_id = gen_random_uuid(),
         grained_version = null`,
      [learned],
    )
  })
}

/** A row with other members, written as JSON. */
function copied(row: string, members: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(members).map(([name, sql]) => `'${name}', ${sql}`)
  return `to_jsonb(${row}) || jsonb_build_object('known_from', $1::timestamptz, 'known_to', null, ${pairs.join(', ')})`
}

async function addRows(
  tx: Transaction,
  { table, values, next, after }: LaterRows,
  learned: string,
): Promise<void> {
  if (next !== undefined)
    await tx.rows(
      `insert into ${table} select (jsonb_populate_record(null::${table}, ${copied(table, { ...values, ...next })})).*
       from ${table} where known_to is null and (${after}) on conflict do nothing`,
      [learned],
    )
  await tx.rows(
    `with old as (
       update ${table} set known_to = $1 where known_to is null and known_from < $1
         and abs(hashtext(to_jsonb(${table})::text)) % 3 = 0 returning *
     ) insert into ${table} select (jsonb_populate_record(null::${table}, ${copied('old', values)})).* from old`,
    [learned],
  )
}

/** A currency and a macro series that appear later. */
async function addSeries(tx: Transaction, learned: string): Promise<void> {
  await tx.rows(
    `insert into forex_rate (quote, date, rate, known_from, source)
     select 'ZZL', date, ${NUMBER}, $1, 'seed' from forex_rate where quote = 'USD' and known_to is null and date > '2026-09-01'`,
    [learned],
  )
  for (const provider of ['bis', 'boj', 'bok'])
    await tx.rows(
      `with added as (
         insert into macro_series select (jsonb_populate_record(null::macro_series, to_jsonb(s) || jsonb_build_object(
           'series_id', s.series_id + 900000, 'series_key', 'ZZLATER', 'description', ${TEXT}))).*
         from macro_series as s where s.provider = $2 order by s.series_id limit 1 returning series_id
       ) insert into macro_observation (series_id, period_start, value, known_from)
       select series_id, date '2026-01-01', ${NUMBER}, $1 from added`,
      [learned, provider],
    )
}

/** Later reports of funds, with other holdings. */
async function addReports(tx: Transaction, learned: string): Promise<void> {
  const report = {
    report_id: 'r.report_id + 900000',
    as_of: 'r.as_of + 1',
    nav: NUMBER,
    net_assets_usd: NUMBER,
  }
  await tx.rows(
    `insert into etf_report select (jsonb_populate_record(null::etf_report, ${copied('r', report)})).* from etf_report as r
     where r.known_to is null and r.report_id < 900000`,
    [learned],
  )
  await tx.rows(
    `insert into etf_holding select (jsonb_populate_record(null::etf_holding, to_jsonb(h) || jsonb_build_object(
       'report_id', h.report_id + 900000, 'name', ${TEXT}, 'market_value_usd', ${NUMBER}))).*
     from etf_holding as h where exists (select 1 from etf_report as r where r.report_id = h.report_id + 900000)`,
  )
}

/** Later snapshots of analyses, one that supersedes and one that follows. */
async function addSnapshots(tx: Transaction, learned: string): Promise<void> {
  const columns = `analysis_type, asset_id, chain_hash, content_hash, data_lineage, methodology_version, source, supersedes`
  await tx.rows(
    `insert into analysis_snapshot (snapshot_id, generated_at, known_from, sequence, standing, model_id, content, ${columns})
     select gen_random_uuid(), $1, $1, sequence + 1000, standing + 1000, ${TEXT},
       jsonb_set(content::jsonb, '{summary}', to_jsonb(${TEXT}::text))::text, ${columns}
     from (select distinct on (asset_id, analysis_type) * from analysis_snapshot
       order by asset_id, analysis_type, known_from desc, sequence desc) as s`,
    [learned],
  )
}

/** An asset with its listing, its identifiers and some data, all learned later. */
async function addAsset(
  tx: Transaction,
  { id, slug, ticker, like }: (typeof NEW_ASSETS)[number],
  learned: string,
): Promise<void> {
  const source =
    like === null
      ? `(select min(asset_id) from asset where asset_class = 'etf')`
      : `(select asset_id from asset where slug = '${like}')`
  const own = { ticker: `'${ticker}'`, name: TEXT, isin: 'null', figi: 'null', lei: 'null', cik: 'null' }
  const insert = (table: string, key: string, members: Readonly<Record<string, string>>, more = '') => {
    const pairs = Object.entries(members).map(([name, sql]) => `'${name}', ${sql}`)
    return tx.rows(
      `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(o) || jsonb_build_object(${pairs.join(', ')}))).*
       from ${table} as o where o.${key} = ${source} ${more}`,
    )
  }
  const known = { known_from: `'${learned}'::timestamptz`, known_to: 'null' }
  await insert('asset', 'asset_id', {
    asset_id: `${id}`,
    slug: `'${slug}'`,
    ...own,
    last_updated: known.known_from,
  })
  await insert(
    'instrument',
    'asset_id',
    { ...own, asset_id: `${id}`, instrument_id: `${id}` },
    'and is_primary',
  )
  for (const [scheme, value] of [
    ['ticker', ticker],
    ['name', 'ZZLATER'],
  ])
    await tx.rows(
      `insert into instrument_identifier (asset_id, scheme, value, occurrence, known_from, source)
       values ($1, $2::identifier_scheme, $3, 1, $4, 'seed')`,
      [id, scheme, value, learned],
    )
  await insert('asset_version', 'asset_id', { asset_id: `${id}`, ...own, ...known }, 'and known_to is null')
  await insert(
    'candle',
    'asset_id',
    { asset_id: `${id}`, vwap_usd: NUMBER, ...known },
    `and known_to is null and ts > date '2026-10-01'`,
  )
  await insert(
    'daily_price',
    'instrument_id',
    { instrument_id: `${id}`, open: NUMBER, high: NUMBER, low: NUMBER, close: NUMBER, ...known },
    'and known_to is null',
  )
  await insert(
    'dividend',
    'asset_id',
    { asset_id: `${id}`, amount: NUMBER, ...known },
    'and known_to is null',
  )
}

/** Assets that get another name and ticker later, of each class. */
async function renameAssets(tx: Transaction, learned: string): Promise<void> {
  const renamed = `asset_id % 4 = 1 and asset_id < 900000 and asset_class <> 'commodity'`
  const ids = `(select asset_id from asset where ${renamed})`
  await tx.rows(
    `with old as (
       update instrument_identifier set known_to = $1 where known_to is null and asset_id in ${ids} and scheme in ('name', 'ticker')
       returning *
     ) insert into instrument_identifier (asset_id, scheme, value, occurrence, known_from, source)
     select asset_id, scheme, 'ZZL' || case scheme when 'name' then 'ATER ' else '' end || asset_id, 1, $1, 'seed' from old
     on conflict do nothing`,
    [learned],
  )
  await tx.rows(
    `with old as (update asset_version set known_to = $1 where known_to is null and asset_id in ${ids} returning *)
     insert into asset_version select (jsonb_populate_record(null::asset_version,
       ${copied('old', { name: TEXT, ticker: `'ZZL' || old.asset_id` })})).* from old`,
    [learned],
  )
  await tx.rows(
    `update instrument set ticker = 'ZZL' || asset_id, isin = null, inactive_since = case when asset_id % 8 = 1 then $1::date end
     where asset_id in ${ids}`,
    [learned],
  )
  await tx.rows(
    `update asset set name = 'ZZLATER ' || asset_id, ticker = 'ZZL' || asset_id, last_updated = '${learned}' where ${renamed}`,
  )
}
