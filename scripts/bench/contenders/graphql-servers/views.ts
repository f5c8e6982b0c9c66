/** Database schema of the views from which PostGraphile creates its GraphQL schema. */
export const SCHEMA = 'postgraphile'

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const newest = (timeframe: string, length: string) => `
  (select c.timeframe, c.vwap_usd, c.exchanges_count, c.methodology_version, c.ts + interval '${length}' as ends_at
   from public.candle as c
   where c.asset_id = a.asset_id and c.timeframe = '${timeframe}' and c.known_to is null
     and c.ts >= now() - interval '400 days' and c.ts <= now() - interval '${length}'
   order by c.ts desc limit 1)`

/**
 * The data of the cases as views, with smart tags for keys and relations.
 * Instants are text as the gateway writes them. Ranges that the gateway takes as arguments are fixed in the views.
 */
export const VIEWS = `
create schema ${SCHEMA};

create view ${SCHEMA}.asset as
select a.asset_id, a.slug, a.asset_class, a.ticker, a.name, a.tier,
  p.vwap_usd::float8 as price_consensus_usd, (p.vwap_usd * s.supply)::float8 as market_cap_derived_usd,
  ${instant('coalesce(p.ends_at, a.last_updated)')} as last_updated,
  case when p.vwap_usd is null then 'none' else 'consensus_vwap' end as price_source,
  p.exchanges_count::int as source_count,
  case when p.ends_at is null then null when p.vwap_usd is null then 'insufficient_sources' else 'ok' end
    as consensus_status,
  p.methodology_version
from public.asset as a
left join lateral (
  ${newest('1h', '1 hour')}
  union all
  ${newest('1d', '1 day')}
  order by ends_at desc, timeframe limit 1
) as p on true
left join public.asset_supply as s on s.asset_id = a.asset_id and s.known_to is null;
comment on view ${SCHEMA}.asset is E'@primaryKey asset_id\\n@unique slug';

create view ${SCHEMA}.analysis as
select s.snapshot_id, s.asset_id, s.analysis_type, s.generated_at as generated, s.sequence,
  ${instant('s.generated_at')} as generated_at, (s.content::json->>'sentiment_score')::float8 as sentiment_score,
  s.content::json->>'summary' as summary, s.model_id, s.methodology_version
from public.analysis_snapshot as s
where s.source = 'seed' and s.known_from <= now() and not exists (
  select 1 from public.analysis_snapshot as n where n.supersedes = s.snapshot_id and n.known_from <= now());
comment on view ${SCHEMA}.analysis is
  E'@primaryKey snapshot_id\\n@foreignKey (asset_id) references ${SCHEMA}.asset (asset_id)|@foreignFieldName analyses';

create view ${SCHEMA}.candle as
select c.asset_id, c.timeframe, c.ts as begins, ${instant('c.ts')} as ts, c.vwap_usd::float8 as vwap_usd,
  c.volume_usd::float8 as volume_usd, c.exchanges_count::int as exchanges_count,
  case when c.vwap_usd is null then 'insufficient_sources' else 'ok' end as consensus_status
from public.candle as c
where c.known_to is null and c.ts < date_trunc('day', now(), 'UTC')
  and c.ts >= date_trunc('day', now(), 'UTC') - interval '30 days';
comment on view ${SCHEMA}.candle is
  E'@primaryKey asset_id,timeframe,begins\\n@foreignKey (asset_id) references ${SCHEMA}.asset (asset_id)|@foreignFieldName candles';

create view ${SCHEMA}.rate as
select r.quote::text as quote, r.date as day, r.date::text as date, r.rate::float8 as rate
from public.forex_rate as r
where r.known_to is null and r.date >= (now() at time zone 'UTC')::date - 30;
comment on view ${SCHEMA}.rate is E'@primaryKey quote,day';
`
