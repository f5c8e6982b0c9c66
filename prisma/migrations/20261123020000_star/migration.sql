-- The star schema `star_public`: views over the operational tables for BI tools, REST and GraphQL.

-- What the instrument master said of a crypto asset, one current row per asset.
CREATE TABLE "asset_version" (
    "asset_id" INTEGER NOT NULL,
    "ticker" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tier" INTEGER,
    "contract_address" TEXT,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "asset_version_pkey" PRIMARY KEY ("asset_id","known_from"),
    CONSTRAINT "asset_version_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "asset_version_ticker" CHECK ("ticker" = upper("ticker"))
);

-- The current version of each row of a page is found in this index alone, however small the table is.
CREATE UNIQUE INDEX "asset_version_current_key" ON "asset_version" ("asset_id") INCLUDE ("known_from")
    WHERE "known_to" IS NULL;

-- The version of a key of dim_asset.
CREATE INDEX "asset_version_sk" ON "asset_version"
    (md5("asset_id"::text || '|' || (extract(epoch from "known_from" at time zone 'UTC') * 1000)::bigint::text));

INSERT INTO "asset_version" ("asset_id", "ticker", "name", "tier", "contract_address", "known_from", "source")
SELECT a."asset_id", a."ticker", a."name", a."tier", c."address", a."last_updated", a."source"
FROM "asset" AS a LEFT JOIN "asset_contract" AS c ON c."asset_id" = a."asset_id"
WHERE a."asset_class" = 'crypto';

-- Pages of facts in the order of time, each from one index.
CREATE INDEX "candle_star_instants" ON "candle" ("ts", "asset_id", "timeframe")
    WHERE "known_to" IS NULL AND "vwap_usd" IS NOT NULL;
CREATE INDEX "candle_star_days" ON "candle" ((("ts" AT TIME ZONE 'UTC')::date), "asset_id")
    WHERE "timeframe" = '1d' AND "known_to" IS NULL AND "vwap_usd" IS NOT NULL AND "exchanges_count" >= 3;
CREATE INDEX "asset_onchain_current_day" ON "asset_onchain" ("snapshot_date", "asset_id") WHERE "known_to" IS NULL;
CREATE INDEX "asset_fundamentals_current_day" ON "asset_fundamentals" ("snapshot_date", "asset_id") WHERE "known_to" IS NULL;
CREATE INDEX "protocol_tvl_current_day" ON "protocol_tvl" ("snapshot_date", "protocol_id") WHERE "known_to" IS NULL;
CREATE INDEX "protocol_economics_current_day" ON "protocol_economics" ("snapshot_date", "protocol_id", "measure")
    WHERE "known_to" IS NULL;
CREATE INDEX "analysis_snapshot_day" ON "analysis_snapshot"
    ((("generated_at" AT TIME ZONE 'UTC')::date), "asset_id", "analysis_type");
CREATE INDEX "asset_supply_observed" ON "asset_supply" ("asset_id", "observed_at" DESC, "known_from" DESC, "supply");

-- How many rows each fact has of each day, so that no request counts them.
CREATE TABLE "star_total" (
    "fact" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "row_count" INTEGER NOT NULL,

    CONSTRAINT "star_total_pkey" PRIMARY KEY ("fact","day"),
    CONSTRAINT "star_total_count" CHECK ("row_count" >= 0)
);

-- The same by hour, for facts whose days have many rows: a page within a day is found without reading the day up to it.
CREATE TABLE "star_hour_total" (
    "fact" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "row_count" INTEGER NOT NULL,

    CONSTRAINT "star_hour_total_pkey" PRIMARY KEY ("fact","hour"),
    CONSTRAINT "star_hour_total_count" CHECK ("row_count" >= 0)
);

-- Adds what a statement wrote to the counts of a fact, and subtracts what it took away. Arguments: the fact, and as SQL
-- over a row r its day, its condition and, where hours are counted too, its hour. Two writers of a fact take turns.
CREATE FUNCTION "star_add"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    row_of text := format('%s as day, %s as hour', TG_ARGV[1], coalesce(TG_ARGV[3], 'null::timestamptz'));
    plus text := format('select %s, 1 as n from added as r where %s', row_of, TG_ARGV[2]);
    minus text := format('select %s, -1 as n from removed as r where %s', row_of, TG_ARGV[2]);
    days date[];
    hours timestamptz[];
    changes int[];
BEGIN
    EXECUTE format(
        'select array_agg(day), array_agg(hour), array_agg(n) from (
           select day, hour, sum(n)::int as n from (%s) as changed group by day, hour having sum(n) <> 0) as c',
        CASE TG_OP WHEN 'INSERT' THEN plus WHEN 'DELETE' THEN minus ELSE plus || ' union all ' || minus END)
        INTO days, hours, changes;
    IF days IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('star ' || TG_ARGV[0]));
    -- Two statements: a check refuses a row that is to be inserted before it is found to be there already.
    INSERT INTO public.star_total (fact, day, row_count)
        SELECT DISTINCT TG_ARGV[0], c.day, 0 FROM unnest(days) AS c(day) ON CONFLICT DO NOTHING;
    UPDATE public.star_total AS t SET row_count = t.row_count + c.change
        FROM (SELECT u.day, sum(u.change)::int AS change FROM unnest(days, changes) AS u(day, change)
              GROUP BY u.day HAVING sum(u.change) <> 0) AS c
        WHERE t.fact = TG_ARGV[0] AND t.day = c.day;
    IF TG_ARGV[3] IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO public.star_hour_total (fact, hour, row_count)
        SELECT TG_ARGV[0], c.hour, 0 FROM unnest(hours) AS c(hour) ON CONFLICT DO NOTHING;
    UPDATE public.star_hour_total AS t SET row_count = t.row_count + c.change
        FROM unnest(hours, changes) AS c(hour, change) WHERE t.fact = TG_ARGV[0] AND t.hour = c.hour;
    RETURN NULL;
END
$$;

-- Counts the days of what a statement wrote again. Arguments: the fact, its day as SQL over a row r, and over the view.
-- Two writers of a fact take turns, so that the second one counts what the first one wrote.
CREATE FUNCTION "star_recount"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    plus text := format('select %s as day from added as r', TG_ARGV[1]);
    minus text := format('select %s as day from removed as r', TG_ARGV[1]);
    changed date[];
BEGIN
    EXECUTE format('select array_agg(distinct day) filter (where day is not null) from (%s) as changed',
        CASE TG_OP WHEN 'INSERT' THEN plus WHEN 'DELETE' THEN minus ELSE plus || ' union all ' || minus END) INTO changed;
    IF changed IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('star ' || TG_ARGV[0]));
    EXECUTE format(
        'insert into public.star_total (fact, day, row_count)
         select %L, day, (select count(*) from star_public.%I as f where %s = c.day) from unnest($1) as c(day)
         on conflict (fact, day) do update set row_count = excluded.row_count',
        TG_ARGV[0], TG_ARGV[0], TG_ARGV[2]) USING changed;
    RETURN NULL;
END
$$;

-- A content without members that would be a verdict or a valuation, at any depth.
CREATE FUNCTION "star_content"("content" jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF NOT jsonb_path_exists(content,
        '$.** ? (exists (@.investment_verdict) || exists (@.fair_value) || exists (@.valuation_status))') THEN
        RETURN content;
    END IF;
    RETURN CASE jsonb_typeof(content)
        WHEN 'object' THEN (
            SELECT coalesce(jsonb_object_agg(m.key, public.star_content(m.value)), '{}') FROM jsonb_each(content) AS m
            WHERE m.key NOT IN ('investment_verdict', 'fair_value', 'valuation_status'))
        WHEN 'array' THEN (
            SELECT coalesce(jsonb_agg(public.star_content(e.value) ORDER BY e.place), '[]')
            FROM jsonb_array_elements(content) WITH ORDINALITY AS e(value, place))
        ELSE content END;
END
$$;

CREATE SCHEMA star_public;

COMMENT ON SCHEMA star_public IS 'Star schema of the market-data gateway: read-only views, crypto assets only.';

-- Generated by scripts/star-views.ts from here on.

CREATE VIEW star_public.dim_asset AS
  select
    (md5(v.asset_id::text || '|' || (extract(epoch from v.known_from at time zone 'UTC') * 1000)::bigint::text))::text as "asset_sk",
    (v.asset_id)::int as "asset_id",
    (v.ticker)::text as "ticker",
    (v.name)::text as "name",
    (v.tier)::int as "tier",
    (v.contract_address)::text as "contract_address",
    (s.confirmed)::text[] as "sources_confirmed",
    (cardinality(s.confirmed) = 1)::boolean as "single_source",
    ('dim-asset-1')::text as "methodology_version",
    v.known_from as "valid_from",
    v.known_to as "valid_to",
    (v.known_to is null)::boolean as "is_current"
  from asset_version as v
  cross join lateral (
    select array(
      select distinct c.source from (values
        ((select m.source from asset as m where m.asset_id = v.asset_id)),
        ((select o.source from candle as o where o.asset_id = v.asset_id and o.known_to is null and o.timeframe = '1d'
        order by o.ts desc limit 1)),
        ((select o.source from asset_supply as o where o.asset_id = v.asset_id and o.known_to is null
        order by o.known_from desc limit 1)),
        ((select o.source from asset_onchain as o where o.asset_id = v.asset_id and o.known_to is null
        order by o.snapshot_date desc limit 1)),
        ((select o.source from asset_fundamentals as o where o.asset_id = v.asset_id and o.known_to is null
        order by o.snapshot_date desc limit 1))
      ) as c(source) where c.source is not null order by c.source
    ) as confirmed
  ) as s;

COMMENT ON VIEW star_public.dim_asset IS 'Crypto assets, one row for each version of what the instrument master says of them (slowly changing dimension of type 2).';
COMMENT ON COLUMN star_public.dim_asset."asset_sk" IS 'Key of the version: md5 of asset_id and the beginning of the version.';
COMMENT ON COLUMN star_public.dim_asset."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.dim_asset."ticker" IS 'Upper-case ticker, e.g. BTC.';
COMMENT ON COLUMN star_public.dim_asset."name" IS 'Name of the asset.';
COMMENT ON COLUMN star_public.dim_asset."tier" IS 'Rank tier, 1 to 3. Null: not ranked.';
COMMENT ON COLUMN star_public.dim_asset."contract_address" IS 'Contract whose totalSupply counts every unit of a token, lower-case hexadecimal. Null for coins and for tokens issued on several chains.';
COMMENT ON COLUMN star_public.dim_asset."sources_confirmed" IS 'Providers whose newest facts on the asset are stored: master, price, supply, chain, fees. Today’s for every version; seed is synthetic.';
COMMENT ON COLUMN star_public.dim_asset."single_source" IS 'Whether sources_confirmed names one provider only.';
COMMENT ON COLUMN star_public.dim_asset."methodology_version" IS 'Version of the rules by which sources_confirmed is found.';
COMMENT ON COLUMN star_public.dim_asset."valid_from" IS 'When the gateway learned of the version.';
COMMENT ON COLUMN star_public.dim_asset."valid_to" IS 'When the next version took its place. Null: it is current.';
COMMENT ON COLUMN star_public.dim_asset."is_current" IS 'Whether it is the current version; each asset has exactly one.';

CREATE VIEW star_public.dim_date AS
  select
    (to_char(d.day, 'YYYYMMDD')::int)::int as "date_key",
    (d.day)::date as "date",
    (extract(year from d.day)::int)::int as "year",
    (extract(quarter from d.day)::int)::int as "quarter",
    (extract(month from d.day)::int)::int as "month",
    (to_char(d.day, 'FMMonth'))::text as "month_name",
    (extract(week from d.day)::int)::int as "week_of_year",
    (extract(isodow from d.day)::int)::int as "day_of_week",
    (to_char(d.day, 'FMDay'))::text as "day_name",
    (extract(day from d.day)::int)::int as "day_of_month",
    (extract(doy from d.day)::int)::int as "day_of_year",
    (extract(isodow from d.day)::int >= 6)::boolean as "is_weekend",
    (h.day is not null)::boolean as "is_us_market_holiday",
    (extract(year from d.day)::int)::int as "fiscal_year",
    (extract(quarter from d.day)::int)::int as "fiscal_quarter"
  from (
    select g.day::date as day
    from generate_series(timestamp '2009-01-03', (now() at time zone 'UTC')::date + interval '1 year', interval '1 day')
      as g(day)
  ) as d
  left join (
    select k.day from generate_series(2009, extract(year from now() at time zone 'UTC')::int + 1) as y(y)
    cross join lateral (values
      (case extract(isodow from make_date(y.y, 1, 1)) when 6 then null when 7 then make_date(y.y, 1, 2) else make_date(y.y, 1, 1) end),
      (make_date(y.y, 1, 1) + (1 - extract(isodow from make_date(y.y, 1, 1))::int + 7) % 7 + 14),
      (make_date(y.y, 2, 1) + (1 - extract(isodow from make_date(y.y, 2, 1))::int + 7) % 7 + 14),
      ((
      select make_date(y.y, 3, 1) + (e.d + 7 - (y.y + y.y / 4 + e.d + 1) % 7) - 3
      from (select c.d - case when c.d > 48 then 1 else 0 end as d
        from (select (225 - 11 * (y.y % 19) - 21) % 30 + 21 as d) as c) as e
    )),
      (make_date(y.y, 5, 31) - (extract(isodow from make_date(y.y, 5, 31))::int + 6) % 7),
      (case when y.y >= 2022 then make_date(y.y, 6, 19) + case extract(isodow from make_date(y.y, 6, 19)) when 6 then -1 when 7 then 1 else 0 end end),
      (make_date(y.y, 7, 4) + case extract(isodow from make_date(y.y, 7, 4)) when 6 then -1 when 7 then 1 else 0 end),
      (make_date(y.y, 9, 1) + (1 - extract(isodow from make_date(y.y, 9, 1))::int + 7) % 7 + 0),
      (make_date(y.y, 11, 1) + (4 - extract(isodow from make_date(y.y, 11, 1))::int + 7) % 7 + 21),
      (make_date(y.y, 12, 25) + case extract(isodow from make_date(y.y, 12, 25)) when 6 then -1 when 7 then 1 else 0 end)
    ) as k(day)
  ) as h on h.day = d.day;

COMMENT ON VIEW star_public.dim_date IS 'Calendar days from 2009-01-03 to a year from today (UTC).';
COMMENT ON COLUMN star_public.dim_date."date_key" IS 'The day as YYYYMMDD.';
COMMENT ON COLUMN star_public.dim_date."date" IS 'The day.';
COMMENT ON COLUMN star_public.dim_date."year" IS 'Calendar year.';
COMMENT ON COLUMN star_public.dim_date."quarter" IS 'Quarter of the year, 1 to 4.';
COMMENT ON COLUMN star_public.dim_date."month" IS 'Month, 1 to 12.';
COMMENT ON COLUMN star_public.dim_date."month_name" IS 'English name of the month.';
COMMENT ON COLUMN star_public.dim_date."week_of_year" IS 'Week of ISO 8601, 1 to 53.';
COMMENT ON COLUMN star_public.dim_date."day_of_week" IS 'Day of the week, 1 = Monday to 7 = Sunday.';
COMMENT ON COLUMN star_public.dim_date."day_name" IS 'English name of the day.';
COMMENT ON COLUMN star_public.dim_date."day_of_month" IS 'Day of the month, 1 to 31.';
COMMENT ON COLUMN star_public.dim_date."day_of_year" IS 'Day of the year, 1 to 366.';
COMMENT ON COLUMN star_public.dim_date."is_weekend" IS 'Saturday or Sunday.';
COMMENT ON COLUMN star_public.dim_date."is_us_market_holiday" IS 'Whether the New York Stock Exchange is closed by its rules for holidays; closures for other reasons are not known.';
COMMENT ON COLUMN star_public.dim_date."fiscal_year" IS 'Fiscal year: the calendar year.';
COMMENT ON COLUMN star_public.dim_date."fiscal_quarter" IS 'Fiscal quarter: the calendar quarter.';

CREATE VIEW star_public.dim_news_source AS
  select
    (md5(n.news_source_id))::text as "news_source_sk",
    (n.news_source_id)::text as "news_source_id",
    (n.editor)::text as "editor",
    (n.editor_normalized)::text as "editor_normalized",
    n.first_seen_at as "first_seen_at",
    n.last_seen_at as "last_seen_at",
    ((select count(*) from news_article as a where a.news_source_id = n.news_source_id and a.known_to is null))::int as "article_count",
    n.loaded_at as "load_ts"
  from news_source as n;

COMMENT ON VIEW star_public.dim_news_source IS 'Editors whose articles were read.';
COMMENT ON COLUMN star_public.dim_news_source."news_source_sk" IS 'Key of the editor: md5 of news_source_id.';
COMMENT ON COLUMN star_public.dim_news_source."news_source_id" IS 'SHA-256 of editor_normalized, lower-case hexadecimal.';
COMMENT ON COLUMN star_public.dim_news_source."editor" IS 'The editor as its first article writes it.';
COMMENT ON COLUMN star_public.dim_news_source."editor_normalized" IS 'The editor in lower case without accents and punctuation.';
COMMENT ON COLUMN star_public.dim_news_source."first_seen_at" IS 'Publication of its oldest article that was read.';
COMMENT ON COLUMN star_public.dim_news_source."last_seen_at" IS 'Publication of its newest article that was read. Null where it is not known.';
COMMENT ON COLUMN star_public.dim_news_source."article_count" IS 'Articles of it that are stored. Null where they were not counted.';
COMMENT ON COLUMN star_public.dim_news_source."load_ts" IS 'When the row became known to the gateway.';

CREATE VIEW star_public.dim_chain AS
  select
    (f.chain_id)::text as "chain_id",
    (f.chain_name)::text as "chain_name",
    (f.native_symbol)::text as "native_symbol",
    (f.is_evm)::boolean as "is_evm",
    (f.is_l2)::boolean as "is_l2",
    (f.parent_chain_id)::text as "parent_chain_id"
  from (values
    ('bitcoin', 'Bitcoin', 'BTC', false, false, null),
    ('ethereum', 'Ethereum', 'ETH', true, false, null),
    ('bsc', 'BSC', 'BNB', true, false, null),
    ('polygon', 'Polygon', 'POL', true, false, null),
    ('arbitrum', 'Arbitrum', 'ETH', true, true, 'ethereum'),
    ('optimism', 'Optimism', 'ETH', true, true, 'ethereum'),
    ('base', 'Base', 'ETH', true, true, 'ethereum'),
    ('linea', 'Linea', 'ETH', true, true, 'ethereum'),
    ('zksync-era', 'ZKsync Era', 'ETH', true, true, 'ethereum'),
    ('starknet', 'Starknet', 'STRK', false, true, 'ethereum'),
    ('avalanche', 'Avalanche C-Chain', 'AVAX', true, false, null),
    ('gnosis', 'Gnosis Chain', 'xDAI', true, false, null),
    ('ethereum-classic', 'Ethereum Classic', 'ETC', true, false, null),
    ('solana', 'Solana', 'SOL', false, false, null),
    ('tron', 'TRON', 'TRX', false, false, null),
    ('cardano', 'Cardano', 'ADA', false, false, null),
    ('polkadot', 'Polkadot', 'DOT', false, false, null),
    ('cosmos', 'Cosmos Hub', 'ATOM', false, false, null),
    ('near', 'NEAR', 'NEAR', false, false, null),
    ('aptos', 'Aptos', 'APT', false, false, null),
    ('sui', 'Sui', 'SUI', false, false, null),
    ('algorand', 'Algorand', 'ALGO', false, false, null),
    ('tezos', 'Tezos', 'XTZ', false, false, null),
    ('ton', 'TON', 'TON', false, false, null),
    ('stellar', 'Stellar', 'XLM', false, false, null),
    ('xrp-ledger', 'XRP Ledger', 'XRP', false, false, null),
    ('litecoin', 'Litecoin', 'LTC', false, false, null),
    ('bitcoin-cash', 'Bitcoin Cash', 'BCH', false, false, null),
    ('dogecoin', 'Dogecoin', 'DOGE', false, false, null),
    ('monero', 'Monero', 'XMR', false, false, null)
  ) as f(chain_id, chain_name, native_symbol, is_evm, is_l2, parent_chain_id);

COMMENT ON VIEW star_public.dim_chain IS 'Blockchains of the reference.';
COMMENT ON COLUMN star_public.dim_chain."chain_id" IS 'Lower-case name of the chain, e.g. ethereum.';
COMMENT ON COLUMN star_public.dim_chain."chain_name" IS 'Name of the chain.';
COMMENT ON COLUMN star_public.dim_chain."native_symbol" IS 'Ticker of the coin that fees are paid in.';
COMMENT ON COLUMN star_public.dim_chain."is_evm" IS 'Whether it runs the Ethereum virtual machine.';
COMMENT ON COLUMN star_public.dim_chain."is_l2" IS 'Whether it settles on another chain, which parent_chain_id then names.';
COMMENT ON COLUMN star_public.dim_chain."parent_chain_id" IS 'The chain that it settles on. Null: it is no layer 2.';

CREATE VIEW star_public.dim_event_type AS
  select
    (f.event_type_id)::text as "event_type_id",
    (f.event_type_label)::text as "event_type_label",
    (f.description)::text as "description",
    (f.affects_price_typically)::boolean as "affects_price_typically"
  from (values
    ('halving', 'Halving', 'The reward of a block is cut in half.', true),
    ('hard_fork', 'Hard fork', 'New rules that nodes without them reject.', true),
    ('soft_fork', 'Soft fork', 'New rules that nodes without them accept.', false),
    ('network_upgrade', 'Network upgrade', 'A planned new version of the software that a network runs.', false),
    ('mainnet_launch', 'Mainnet launch', 'A network begins to carry value.', true),
    ('testnet_launch', 'Testnet launch', 'A network begins for tests, without value.', false),
    ('exchange_listing', 'Exchange listing', 'An exchange begins to trade the asset.', true),
    ('exchange_delisting', 'Exchange delisting', 'An exchange ends trading of the asset.', true),
    ('security_incident', 'Security incident', 'An attack, a theft or a fault that put funds at risk.', true),
    ('regulatory_event', 'Regulatory event', 'A decision of an authority, a court or a legislature.', true),
    ('governance_vote', 'Governance vote', 'Holders vote on a proposal.', false),
    ('github_release', 'Software release', 'A version of the software is published.', false),
    ('partnership', 'Partnership', 'An agreement with another organisation is announced.', false),
    ('staking_event', 'Staking event', 'A change to staking: its start, its rewards or its terms.', false),
    ('token_burn', 'Token burn', 'Units are taken out of circulation for good.', true),
    ('token_unlock', 'Token unlock', 'Units that were locked may be sold.', true),
    ('airdrop', 'Airdrop', 'Units are given to holders of addresses free of charge.', true),
    ('ico_ido', 'Token sale', 'Units are sold to the public for the first time (ICO, IDO).', true)
  ) as f(event_type_id, event_type_label, description, affects_price_typically);

COMMENT ON VIEW star_public.dim_event_type IS 'Kinds of events of crypto assets.';
COMMENT ON COLUMN star_public.dim_event_type."event_type_id" IS 'The kind, e.g. halving.';
COMMENT ON COLUMN star_public.dim_event_type."event_type_label" IS 'Name of the kind.';
COMMENT ON COLUMN star_public.dim_event_type."description" IS 'What happens at such an event.';
COMMENT ON COLUMN star_public.dim_event_type."affects_price_typically" IS 'Whether such events usually move the price.';

CREATE VIEW star_public.dim_analysis_type AS
  select
    (f.analysis_type_id)::text as "analysis_type_id",
    (f.analysis_type_label)::text as "analysis_type_label",
    (f.model_default)::text as "model_default",
    (f.refresh_cadence)::text as "refresh_cadence",
    (f.is_enabled)::boolean as "is_enabled"
  from (values
    ('token_classification', 'Token classification', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true),
    ('token_methodology', 'Token methodology', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true),
    ('fundamental_summary', 'Fundamental summary', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true),
    ('news_summary', 'News summary', null, null, false),
    ('sentiment_score', 'Sentiment score', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true),
    ('event_extraction', 'Event extraction', null, null, false),
    ('news_ner_v1', 'Named entities of news', null, null, false),
    ('halal_analysis', 'Factual classification and AAOIFI ratios', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true),
    ('market_context', 'Price, volume and breadth', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true),
    ('regime', 'Return, volatility and trend', 'rules-1', 'tier 1: 1 h, tier 2: 6 h, tier 3: 12 h', true)
  ) as f(analysis_type_id, analysis_type_label, model_default, refresh_cadence, is_enabled);

COMMENT ON VIEW star_public.dim_analysis_type IS 'Kinds of analyses of assets.';
COMMENT ON COLUMN star_public.dim_analysis_type."analysis_type_id" IS 'The kind, e.g. regime.';
COMMENT ON COLUMN star_public.dim_analysis_type."analysis_type_label" IS 'Name of the kind.';
COMMENT ON COLUMN star_public.dim_analysis_type."model_default" IS 'Model that makes it where no other is set up. Null: it is not enabled.';
COMMENT ON COLUMN star_public.dim_analysis_type."refresh_cadence" IS 'How often it is made again, by the tier of the asset. Null: it is not enabled.';
COMMENT ON COLUMN star_public.dim_analysis_type."is_enabled" IS 'Whether the gateway makes analyses of the kind.';

CREATE VIEW star_public.dim_tier AS
  select
    (f.tier)::int as "tier",
    (f.tier_label)::text as "tier_label",
    (f.min_rank)::int as "min_rank",
    (f.max_rank)::int as "max_rank",
    (f.min_market_cap_usd_approx)::bigint as "min_market_cap_usd_approx"
  from (values
    (1, 'Tier 1', 1, 50, 2000000000),
    (2, 'Tier 2', 51, 200, 200000000),
    (3, 'Tier 3', 201, 1000, 10000000)
  ) as f(tier, tier_label, min_rank, max_rank, min_market_cap_usd_approx);

COMMENT ON VIEW star_public.dim_tier IS 'Rank tiers of crypto assets.';
COMMENT ON COLUMN star_public.dim_tier."tier" IS 'The tier, 1 to 3.';
COMMENT ON COLUMN star_public.dim_tier."tier_label" IS 'Name of the tier.';
COMMENT ON COLUMN star_public.dim_tier."min_rank" IS 'First rank by market capitalisation.';
COMMENT ON COLUMN star_public.dim_tier."max_rank" IS 'Last rank by market capitalisation.';
COMMENT ON COLUMN star_public.dim_tier."min_market_cap_usd_approx" IS 'Market capitalisation of the last rank, USD, approximately. Null where it is not known.';

CREATE VIEW star_public.fact_market_snapshot AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = c.asset_id and known.is_current))::text as "asset_sk",
    (c.asset_id)::int as "asset_id",
    ((c.ts at time zone 'UTC')::date)::date as "snapshot_date",
    (to_char((c.ts at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(c.vwap_usd))::numeric as "price_consensus_usd",
    (trim_scale(coalesce(
    (select o.circulating_supply from asset_onchain as o
      where o.asset_id = c.asset_id and o.snapshot_date = (c.ts at time zone 'UTC')::date and o.known_to is null),
    (select s.supply from asset_supply as s where s.asset_id = c.asset_id and s.observed_at < c.ts + interval '2 days'
      order by s.observed_at desc, s.known_from desc limit 1))))::numeric as "supply_on_chain",
    (trim_scale(c.vwap_usd * coalesce(
    (select o.circulating_supply from asset_onchain as o
      where o.asset_id = c.asset_id and o.snapshot_date = (c.ts at time zone 'UTC')::date and o.known_to is null),
    (select s.supply from asset_supply as s where s.asset_id = c.asset_id and s.observed_at < c.ts + interval '2 days'
      order by s.observed_at desc, s.known_from desc limit 1))))::numeric as "market_cap_derived_usd",
    ((select a.tier from asset as a where a.asset_id = c.asset_id))::int as "tier_crypto",
    (c.exchanges_count)::smallint as "exchanges_count",
    (c.methodology_version)::text as "methodology_version"
  from candle as c
  where c.timeframe = '1d' and c.known_to is null and c.vwap_usd is not null and c.exchanges_count >= 3;

COMMENT ON VIEW star_public.fact_market_snapshot IS 'Consensus price, supply and market capitalisation of a crypto asset on a UTC day that at least 3 exchanges priced.';
COMMENT ON COLUMN star_public.fact_market_snapshot."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_market_snapshot."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_market_snapshot."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_market_snapshot."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_market_snapshot."price_consensus_usd" IS 'Volume-weighted consensus price of the day, USD.';
COMMENT ON COLUMN star_public.fact_market_snapshot."supply_on_chain" IS 'Units of the asset on the day: counted by its chain, else the newest count until the day after. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_market_snapshot."market_cap_derived_usd" IS 'Price times supply_on_chain, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_market_snapshot."tier_crypto" IS 'Rank tier of the asset today, 1 to 3. Null: not ranked.';
COMMENT ON COLUMN star_public.fact_market_snapshot."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.fact_market_snapshot."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_vwap_consensus AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = c.asset_id and known.is_current))::text as "asset_sk",
    (c.asset_id)::int as "asset_id",
    c.ts as "snapshot_ts",
    ((c.ts at time zone 'UTC')::date)::date as "snapshot_date",
    (to_char((c.ts at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_key",
    (c.timeframe)::text as "timeframe",
    (trim_scale(c.vwap_usd))::numeric as "vwap_usd",
    (c.exchanges_count)::smallint as "exchanges_count",
    (trim_scale(c.max_source_weight))::numeric as "max_source_weight_pct",
    (c.methodology_version)::text as "methodology_version"
  from candle as c
  where c.timeframe in ('1h', '1d') and c.known_to is null and c.vwap_usd is not null;

COMMENT ON VIEW star_public.fact_vwap_consensus IS 'Consensus price of a crypto asset in a window of an hour or a day.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."snapshot_ts" IS 'Start of the window, UTC.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."snapshot_date" IS 'UTC day on which the window starts.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."timeframe" IS 'Length of the window: 1h or 1d.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."vwap_usd" IS 'Volume-weighted consensus price of the window, USD.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."max_source_weight_pct" IS 'Largest share of one exchange in the volume, a fraction of at most 0.5. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_onchain_core AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = o.asset_id and known.is_current))::text as "asset_sk",
    (o.asset_id)::int as "asset_id",
    (o.snapshot_date)::date as "snapshot_date",
    (to_char(o.snapshot_date, 'YYYYMMDD')::int)::int as "date_key",
    (o.active_addresses)::bigint as "active_addresses",
    (trim_scale(o.fees_total_usd))::numeric as "fees_total_usd",
    (o.tx_count)::bigint as "tx_count",
    (trim_scale(o.avg_fee_usd))::numeric as "avg_fee_usd",
    (o.source)::text as "source_rpc"
  from asset_onchain as o
  where o.known_to is null;

COMMENT ON VIEW star_public.fact_onchain_core IS 'Use of the chain of a crypto asset on a UTC day.';
COMMENT ON COLUMN star_public.fact_onchain_core."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_onchain_core."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_onchain_core."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_onchain_core."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_onchain_core."active_addresses" IS 'Distinct addresses that sent or received. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."fees_total_usd" IS 'Fees that users paid, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."tx_count" IS 'Transactions. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."avg_fee_usd" IS 'fees_total_usd / tx_count, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."source_rpc" IS 'Provider that read the chain; seed for synthetic figures. Null where it is not known.';

CREATE VIEW star_public.fact_onchain_advanced AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = o.asset_id and known.is_current))::text as "asset_sk",
    (o.asset_id)::int as "asset_id",
    (o.snapshot_date)::date as "snapshot_date",
    (to_char(o.snapshot_date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(o.realized_cap_usd))::numeric as "realized_cap_usd",
    (trim_scale(o.mvrv_ratio))::numeric as "mvrv_ratio",
    (trim_scale(o.nupl))::numeric as "nupl",
    (trim_scale(o.sopr))::numeric as "sopr",
    (trim_scale(o.realized_price_usd))::numeric as "realized_price_usd",
    (o.hodl_waves)::jsonb as "hodl_waves",
    (trim_scale(case when (select a.slug from asset as a where a.asset_id = o.asset_id) = 'bitcoin' then o.circulating_supply end))::numeric as "circulating_supply_btc",
    (o.methodology_version)::text as "methodology_version"
  from asset_onchain as o
  where o.known_to is null;

COMMENT ON VIEW star_public.fact_onchain_advanced IS 'Valuation of a crypto asset by its chain on a UTC day.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."realized_cap_usd" IS 'Every unit at the price of its last move, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."mvrv_ratio" IS 'Market capitalisation over realized capitalisation. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."nupl" IS 'Net unrealized profit or loss, 1 - 1/mvrv_ratio: a fraction of at most 1. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."sopr" IS 'Spent output profit ratio. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."realized_price_usd" IS 'realized_cap_usd over the supply, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."hodl_waves" IS 'Share of the supply by the time since it last moved: band of ages (1y-2y) to fraction. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."circulating_supply_btc" IS 'Units issued, BTC, of bitcoin alone. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_asset_fundamentals AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = o.asset_id and known.is_current))::text as "asset_sk",
    (o.asset_id)::int as "asset_id",
    (o.snapshot_date)::date as "snapshot_date",
    (to_char(o.snapshot_date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(o.ps_ratio))::numeric as "ps_ratio",
    (trim_scale(o.pr_ratio))::numeric as "pr_ratio",
    (trim_scale(o.fees_30d_usd))::numeric as "fees_30d_usd",
    (trim_scale(o.revenue_30d_usd))::numeric as "revenue_30d_usd",
    (trim_scale(o.fees_annualized))::numeric as "fees_annualized",
    (trim_scale(o.revenue_annualized))::numeric as "revenue_annualized",
    (o.methodology_version)::text as "methodology_version"
  from asset_fundamentals as o
  where o.known_to is null;

COMMENT ON VIEW star_public.fact_asset_fundamentals IS 'Valuation of a crypto asset by the fees of its protocols and chains on a UTC day.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."ps_ratio" IS 'Market capitalisation over fees_annualized. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."pr_ratio" IS 'Market capitalisation over revenue_annualized. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."fees_30d_usd" IS 'What users paid in the 30 days before, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."revenue_30d_usd" IS 'What the protocols kept of it, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."fees_annualized" IS 'fees_30d_usd times 12, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."revenue_annualized" IS 'revenue_30d_usd times 12, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_protocol_tvl AS
  select
    (o.protocol_id)::text as "protocol_id",
    (o.snapshot_date)::date as "snapshot_date",
    (to_char(o.snapshot_date, 'YYYYMMDD')::int)::int as "date_sk",
    (trim_scale(o.tvl_usd))::numeric as "tvl_usd",
    (trim_scale(o.tvl_change_1d_pct))::numeric as "tvl_change_1d_pct",
    (trim_scale(o.tvl_change_7d_pct))::numeric as "tvl_change_7d_pct",
    ('protocol-tvl-1')::text as "methodology_version"
  from protocol_tvl as o
  where o.known_to is null;

COMMENT ON VIEW star_public.fact_protocol_tvl IS 'Value locked in a protocol on a UTC day.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."protocol_id" IS 'Protocol or chain, lower-case name, e.g. uniswap-v3.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."snapshot_date" IS 'UTC day on which it was read.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."tvl_usd" IS 'Value locked, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."tvl_change_1d_pct" IS 'Its change over a day, per cent. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."tvl_change_7d_pct" IS 'Its change over 7 days, per cent. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_protocol_economics AS
  select
    (o.protocol_id)::text as "protocol_id",
    (to_char(o.snapshot_date, 'YYYYMMDD')::int)::int as "date_sk",
    (o.snapshot_date)::date as "snapshot_date",
    (trim_scale(max(o.total_24h_usd) filter (where o.measure = 'fees')))::numeric as "fees_24h_usd",
    (trim_scale(max(o.total_24h_usd) filter (where o.measure = 'revenue')))::numeric as "revenue_24h_usd",
    (trim_scale(max(o.total_7d_usd) filter (where o.measure = 'fees')))::numeric as "fees_7d_usd",
    (trim_scale(max(o.total_7d_usd) filter (where o.measure = 'revenue')))::numeric as "revenue_7d_usd",
    (trim_scale(max(o.total_30d_usd) filter (where o.measure = 'fees')))::numeric as "fees_30d_usd",
    (trim_scale(max(o.total_30d_usd) filter (where o.measure = 'revenue')))::numeric as "revenue_30d_usd",
    ((select p.category from protocol as p where p.protocol_id = o.protocol_id))::text as "category",
    ((select nullif(p.chains, '{}') from protocol as p where p.protocol_id = o.protocol_id))::text[] as "chains"
  from protocol_economics as o
  where o.known_to is null
  group by o.snapshot_date, o.protocol_id;

COMMENT ON VIEW star_public.fact_protocol_economics IS 'Fees and revenue of a protocol over the time before the UTC day on which they were read.';
COMMENT ON COLUMN star_public.fact_protocol_economics."protocol_id" IS 'Protocol or chain, lower-case name, e.g. uniswap-v3.';
COMMENT ON COLUMN star_public.fact_protocol_economics."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_protocol_economics."snapshot_date" IS 'UTC day on which they were read.';
COMMENT ON COLUMN star_public.fact_protocol_economics."fees_24h_usd" IS 'What users paid in 24 hours, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."revenue_24h_usd" IS 'What the protocol kept of it, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."fees_7d_usd" IS 'What users paid in 7 days, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."revenue_7d_usd" IS 'What the protocol kept of it, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."fees_30d_usd" IS 'What users paid in 30 days, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."revenue_30d_usd" IS 'What the protocol kept of it, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."category" IS 'Category of the protocol, e.g. Dexs. Null where the provider does not say.';
COMMENT ON COLUMN star_public.fact_protocol_economics."chains" IS 'Chains that it runs on, as the provider names them. Null where it does not say.';

CREATE VIEW star_public.fact_news_mention AS
  select
    (md5(m.article_hk || '|' || m.asset_id::text))::text as "news_mention_sk",
    (n.article_hk)::text as "article_hk",
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = m.asset_id and known.is_current))::text as "asset_sk",
    (md5(n.news_source_id))::text as "news_source_sk",
    (to_char((n.published_at at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_sk",
    n.published_at as "published_at"
  from news_article as n
  join news_mention as m on m.article_hk = n.article_hk and m.known_to is null and not m.is_withdrawn
  where n.known_to is null and (select master.asset_class from asset as master where master.asset_id = m.asset_id) = 'crypto';

COMMENT ON VIEW star_public.fact_news_mention IS 'A crypto asset that the headline of an article names.';
COMMENT ON COLUMN star_public.fact_news_mention."news_mention_sk" IS 'Key of the mention: md5 of the article and the asset.';
COMMENT ON COLUMN star_public.fact_news_mention."article_hk" IS 'Key of the article: SHA-256 of its normalised link, lower-case hexadecimal.';
COMMENT ON COLUMN star_public.fact_news_mention."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_news_mention."news_source_sk" IS 'Key of the editor in dim_news_source. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_news_mention."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_news_mention."published_at" IS 'When the article was published.';

CREATE VIEW star_public.fact_ai_analysis AS
  select
    (md5(s.asset_id::text || '|' || s.analysis_type::text || '|' || (s.generated_at at time zone 'UTC')::date::text))::text as "ai_analysis_sk",
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = s.asset_id and known.is_current))::text as "asset_sk",
    (s.analysis_type)::text as "analysis_type_id",
    (to_char((s.generated_at at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_sk",
    ((s.generated_at at time zone 'UTC')::date)::date as "generated_date",
    (s.model_id)::text as "model_id",
    (s.prompt_version)::text as "prompt_version",
    (star_content(s.content::jsonb))::jsonb as "content_json",
    (s.methodology_version)::text as "methodology_version"
  from analysis_snapshot as s
  where s.source = (select d.source from dataset_state as d where d.dataset = 'analysis')
    and not exists (select 1 from analysis_snapshot as n where n.supersedes = s.snapshot_id)
    and not exists (
      select 1 from analysis_snapshot as l
      where l.asset_id = s.asset_id and l.analysis_type = s.analysis_type and l.source = s.source
        and (l.generated_at at time zone 'UTC')::date = (s.generated_at at time zone 'UTC')::date
        and (l.generated_at, l.sequence) > (s.generated_at, s.sequence) and not exists (select 1 from analysis_snapshot as n where n.supersedes = l.snapshot_id))
    and (select master.asset_class from asset as master where master.asset_id = s.asset_id) = 'crypto';

COMMENT ON VIEW star_public.fact_ai_analysis IS 'The last analysis of a kind of a crypto asset on a UTC day; none is a recommendation.';
COMMENT ON COLUMN star_public.fact_ai_analysis."ai_analysis_sk" IS 'Key of the row: md5 of the asset, the kind and the day.';
COMMENT ON COLUMN star_public.fact_ai_analysis."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_ai_analysis."analysis_type_id" IS 'Kind of the analysis in dim_analysis_type.';
COMMENT ON COLUMN star_public.fact_ai_analysis."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_ai_analysis."generated_date" IS 'UTC day on which it was generated.';
COMMENT ON COLUMN star_public.fact_ai_analysis."model_id" IS 'Model that made it.';
COMMENT ON COLUMN star_public.fact_ai_analysis."prompt_version" IS 'Version of the prompt. Null for a model without one.';
COMMENT ON COLUMN star_public.fact_ai_analysis."content_json" IS 'What the analysis says: summary, score and signals; never a verdict, a fair value or a valuation. Null where nothing is stored.';
COMMENT ON COLUMN star_public.fact_ai_analysis."methodology_version" IS 'Version of the method. Null where it is not known.';

CREATE VIEW star_public.fact_event AS
  select
    (md5(e.event_hk || '|' || m.asset_id::text))::text as "event_fact_sk",
    (e.event_hk)::text as "event_hk",
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = m.asset_id and known.is_current))::text as "asset_sk",
    (e.event_type)::text as "event_type_id",
    (to_char(e.event_date, 'YYYYMMDD')::int)::int as "date_sk",
    (e.event_date)::date as "event_date",
    (e.title)::text as "event_title",
    (e.description)::text as "event_description",
    (e.url)::text as "event_url",
    (e.reported_by)::text as "source"
  from asset_event as e
  join asset_event_asset as m on m.event_hk = e.event_hk and m.known_to is null and not m.is_withdrawn
  where e.known_to is null and not e.is_withdrawn and (select master.asset_class from asset as master where master.asset_id = m.asset_id) = 'crypto';

COMMENT ON VIEW star_public.fact_event IS 'A dated event and a crypto asset that it is about.';
COMMENT ON COLUMN star_public.fact_event."event_fact_sk" IS 'Key of the row: md5 of the event and the asset.';
COMMENT ON COLUMN star_public.fact_event."event_hk" IS 'Key of the event, SHA-256 in lower-case hexadecimal; the same for all its assets.';
COMMENT ON COLUMN star_public.fact_event."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_event."event_type_id" IS 'Kind of the event in dim_event_type. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_event."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_event."event_date" IS 'UTC day of the event, which may lie ahead. Null where it is not known.';
COMMENT ON COLUMN star_public.fact_event."event_title" IS 'The event in a line. Null where it has none.';
COMMENT ON COLUMN star_public.fact_event."event_description" IS 'The event in more words. Null where it has none.';
COMMENT ON COLUMN star_public.fact_event."event_url" IS 'Where it is reported. Null where that is not known.';
COMMENT ON COLUMN star_public.fact_event."source" IS 'Who reported it. Null where that is not known.';

CREATE VIEW star_public.sat_asset_metadata_public AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = a.asset_id and known.is_current))::text as "asset_sk",
    (a.asset_id)::int as "asset_id",
    (a.slug)::text as "slug",
    (a.ticker)::text as "ticker",
    (a.name)::text as "name",
    (a.tier)::int as "tier",
    ((select c.address from asset_contract as c where c.asset_id = a.asset_id))::text as "contract_address",
    a.last_updated as "load_ts"
  from asset as a
  where a.asset_class = 'crypto';

COMMENT ON VIEW star_public.sat_asset_metadata_public IS 'What the instrument master says of a crypto asset today.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."slug" IS 'Lower-case name in URLs, e.g. bitcoin.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."ticker" IS 'Upper-case ticker, e.g. BTC.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."name" IS 'Name of the asset.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."tier" IS 'Rank tier, 1 to 3. Null: not ranked.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."contract_address" IS 'Contract of a token, lower-case hexadecimal. Null for coins and for tokens issued on several chains.';
COMMENT ON COLUMN star_public.sat_asset_metadata_public."load_ts" IS 'When the master row was last confirmed by its source.';

CREATE VIEW star_public.sat_asset_news_public AS
  select
    (n.article_hk)::text as "article_hk",
    (n.title)::text as "title",
    (n.link)::text as "url",
    (md5(n.news_source_id))::text as "news_source_sk",
    n.published_at as "published_at",
    n.known_from as "load_ts"
  from news_article as n
  where n.known_to is null;

COMMENT ON VIEW star_public.sat_asset_news_public IS 'Headlines of articles.';
COMMENT ON COLUMN star_public.sat_asset_news_public."article_hk" IS 'Key of the article: SHA-256 of its normalised link, lower-case hexadecimal.';
COMMENT ON COLUMN star_public.sat_asset_news_public."title" IS 'The headline.';
COMMENT ON COLUMN star_public.sat_asset_news_public."url" IS 'Address of the article.';
COMMENT ON COLUMN star_public.sat_asset_news_public."news_source_sk" IS 'Key of the editor in dim_news_source. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_asset_news_public."published_at" IS 'When the article was published.';
COMMENT ON COLUMN star_public.sat_asset_news_public."load_ts" IS 'When the row became known to the gateway.';

CREATE VIEW star_public.sat_asset_market_derived AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = c.asset_id and known.is_current))::text as "asset_sk",
    ((c.ts at time zone 'UTC')::date)::date as "snapshot_date",
    (trim_scale(c.vwap_usd))::numeric as "price_consensus_usd",
    (trim_scale(coalesce(
    (select o.circulating_supply from asset_onchain as o
      where o.asset_id = c.asset_id and o.snapshot_date = (c.ts at time zone 'UTC')::date and o.known_to is null),
    (select s.supply from asset_supply as s where s.asset_id = c.asset_id and s.observed_at < c.ts + interval '2 days'
      order by s.observed_at desc, s.known_from desc limit 1))))::numeric as "supply_on_chain",
    (trim_scale(c.vwap_usd * coalesce(
    (select o.circulating_supply from asset_onchain as o
      where o.asset_id = c.asset_id and o.snapshot_date = (c.ts at time zone 'UTC')::date and o.known_to is null),
    (select s.supply from asset_supply as s where s.asset_id = c.asset_id and s.observed_at < c.ts + interval '2 days'
      order by s.observed_at desc, s.known_from desc limit 1))))::numeric as "market_cap_derived_usd",
    (c.exchanges_count)::smallint as "exchanges_count",
    (c.methodology_version)::text as "methodology_version",
    c.known_from as "load_ts"
  from candle as c
  where c.timeframe = '1d' and c.known_to is null and c.vwap_usd is not null and c.exchanges_count >= 3;

COMMENT ON VIEW star_public.sat_asset_market_derived IS 'What is derived from the market of a crypto asset on a UTC day.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."price_consensus_usd" IS 'Volume-weighted consensus price of the day, USD.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."supply_on_chain" IS 'Units of the asset on the day: counted by its chain, else the newest count until the day after. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."market_cap_derived_usd" IS 'Price times supply_on_chain, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."methodology_version" IS 'Version of the rules by which the figures are derived.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."load_ts" IS 'When the row became known to the gateway.';

CREATE VIEW star_public.sat_protocol_tvl_self AS
  select
    (o.protocol_id)::text as "protocol_id",
    (o.snapshot_date)::date as "snapshot_date",
    ((select p.name from protocol as p where p.protocol_id = o.protocol_id))::text as "protocol_name",
    (trim_scale(o.tvl_usd))::numeric as "tvl_usd",
    (trim_scale(o.tvl_change_1d_pct))::numeric as "tvl_change_1d_pct",
    (trim_scale(o.tvl_change_7d_pct))::numeric as "tvl_change_7d_pct",
    ('protocol-tvl-1')::text as "methodology_version",
    o.known_from as "load_ts"
  from protocol_tvl as o
  where o.known_to is null;

COMMENT ON VIEW star_public.sat_protocol_tvl_self IS 'Value locked in a protocol on a UTC day, with its name.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."protocol_id" IS 'Protocol or chain, lower-case name, e.g. uniswap-v3.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."snapshot_date" IS 'UTC day on which it was read.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."protocol_name" IS 'Name of the protocol. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."tvl_usd" IS 'Value locked, USD. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."tvl_change_1d_pct" IS 'Its change over a day, per cent. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."tvl_change_7d_pct" IS 'Its change over 7 days, per cent. Null where it is not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."methodology_version" IS 'Version of the rules by which the figures are derived.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."load_ts" IS 'When the row became known to the gateway.';

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_market_snapshot', snapshot_date, count(*) from star_public.fact_market_snapshot group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_vwap_consensus', (snapshot_ts at time zone 'UTC')::date, count(*) from star_public.fact_vwap_consensus group by 2;

INSERT INTO "star_hour_total" ("fact", "hour", "row_count")
  select 'fact_vwap_consensus', date_trunc('hour', snapshot_ts, 'UTC'), count(*) from star_public.fact_vwap_consensus group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_onchain_core', snapshot_date, count(*) from star_public.fact_onchain_core group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_onchain_advanced', snapshot_date, count(*) from star_public.fact_onchain_advanced group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_asset_fundamentals', snapshot_date, count(*) from star_public.fact_asset_fundamentals group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_protocol_tvl', snapshot_date, count(*) from star_public.fact_protocol_tvl group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_protocol_economics', snapshot_date, count(*) from star_public.fact_protocol_economics group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_news_mention', (published_at at time zone 'UTC')::date, count(*) from star_public.fact_news_mention group by 2;

INSERT INTO "star_total" ("fact", "day", "row_count")
  select 'fact_event', event_date, count(*) from star_public.fact_event group by 2;

CREATE TRIGGER "fact_market_snapshot_insert" AFTER INSERT ON "candle"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_market_snapshot', '(r.ts at time zone ''UTC'')::date', 'r.timeframe = ''1d'' and r.known_to is null and r.vwap_usd is not null and r.exchanges_count >= 3');

CREATE TRIGGER "fact_market_snapshot_update" AFTER UPDATE ON "candle"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_market_snapshot', '(r.ts at time zone ''UTC'')::date', 'r.timeframe = ''1d'' and r.known_to is null and r.vwap_usd is not null and r.exchanges_count >= 3');

CREATE TRIGGER "fact_market_snapshot_delete" AFTER DELETE ON "candle"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_market_snapshot', '(r.ts at time zone ''UTC'')::date', 'r.timeframe = ''1d'' and r.known_to is null and r.vwap_usd is not null and r.exchanges_count >= 3');

CREATE TRIGGER "fact_vwap_consensus_insert" AFTER INSERT ON "candle"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_vwap_consensus', '(r.ts at time zone ''UTC'')::date', 'r.timeframe in (''1h'', ''1d'') and r.known_to is null and r.vwap_usd is not null', 'date_trunc(''hour'', r.ts, ''UTC'')');

CREATE TRIGGER "fact_vwap_consensus_update" AFTER UPDATE ON "candle"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_vwap_consensus', '(r.ts at time zone ''UTC'')::date', 'r.timeframe in (''1h'', ''1d'') and r.known_to is null and r.vwap_usd is not null', 'date_trunc(''hour'', r.ts, ''UTC'')');

CREATE TRIGGER "fact_vwap_consensus_delete" AFTER DELETE ON "candle"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_vwap_consensus', '(r.ts at time zone ''UTC'')::date', 'r.timeframe in (''1h'', ''1d'') and r.known_to is null and r.vwap_usd is not null', 'date_trunc(''hour'', r.ts, ''UTC'')');

CREATE TRIGGER "fact_onchain_core_insert" AFTER INSERT ON "asset_onchain"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_core', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_core_update" AFTER UPDATE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_core', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_core_delete" AFTER DELETE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_core', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_advanced_insert" AFTER INSERT ON "asset_onchain"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_advanced', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_advanced_update" AFTER UPDATE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_advanced', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_advanced_delete" AFTER DELETE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_advanced', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_asset_fundamentals_insert" AFTER INSERT ON "asset_fundamentals"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_asset_fundamentals', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_asset_fundamentals_update" AFTER UPDATE ON "asset_fundamentals"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_asset_fundamentals', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_asset_fundamentals_delete" AFTER DELETE ON "asset_fundamentals"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_asset_fundamentals', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_protocol_tvl_insert" AFTER INSERT ON "protocol_tvl"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_protocol_tvl', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_protocol_tvl_update" AFTER UPDATE ON "protocol_tvl"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_protocol_tvl', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_protocol_tvl_delete" AFTER DELETE ON "protocol_tvl"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_protocol_tvl', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_protocol_economics_insert" AFTER INSERT ON "protocol_economics"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_protocol_economics', 'r.snapshot_date', 'snapshot_date');

CREATE TRIGGER "fact_protocol_economics_update" AFTER UPDATE ON "protocol_economics"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_protocol_economics', 'r.snapshot_date', 'snapshot_date');

CREATE TRIGGER "fact_protocol_economics_delete" AFTER DELETE ON "protocol_economics"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_protocol_economics', 'r.snapshot_date', 'snapshot_date');

CREATE TRIGGER "fact_news_mention_insert" AFTER INSERT ON "news_article"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_news_mention', '(r.published_at at time zone ''UTC'')::date', '(published_at at time zone ''UTC'')::date');

CREATE TRIGGER "fact_news_mention_update" AFTER UPDATE ON "news_article"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_news_mention', '(r.published_at at time zone ''UTC'')::date', '(published_at at time zone ''UTC'')::date');

CREATE TRIGGER "fact_news_mention_delete" AFTER DELETE ON "news_article"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_news_mention', '(r.published_at at time zone ''UTC'')::date', '(published_at at time zone ''UTC'')::date');

CREATE TRIGGER "fact_news_mention_insert" AFTER INSERT ON "news_mention"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_news_mention', '(select (n.published_at at time zone ''UTC'')::date from news_article as n where n.article_hk = r.article_hk and n.known_to is null)', '(published_at at time zone ''UTC'')::date');

CREATE TRIGGER "fact_news_mention_update" AFTER UPDATE ON "news_mention"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_news_mention', '(select (n.published_at at time zone ''UTC'')::date from news_article as n where n.article_hk = r.article_hk and n.known_to is null)', '(published_at at time zone ''UTC'')::date');

CREATE TRIGGER "fact_news_mention_delete" AFTER DELETE ON "news_mention"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_news_mention', '(select (n.published_at at time zone ''UTC'')::date from news_article as n where n.article_hk = r.article_hk and n.known_to is null)', '(published_at at time zone ''UTC'')::date');

CREATE TRIGGER "fact_event_insert" AFTER INSERT ON "asset_event"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_event', 'r.event_date', 'event_date');

CREATE TRIGGER "fact_event_update" AFTER UPDATE ON "asset_event"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_event', 'r.event_date', 'event_date');

CREATE TRIGGER "fact_event_delete" AFTER DELETE ON "asset_event"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_event', 'r.event_date', 'event_date');

CREATE TRIGGER "fact_event_insert" AFTER INSERT ON "asset_event_asset"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_event', '(select e.event_date from asset_event as e where e.event_hk = r.event_hk and e.known_to is null)', 'event_date');

CREATE TRIGGER "fact_event_update" AFTER UPDATE ON "asset_event_asset"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_event', '(select e.event_date from asset_event as e where e.event_hk = r.event_hk and e.known_to is null)', 'event_date');

CREATE TRIGGER "fact_event_delete" AFTER DELETE ON "asset_event_asset"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_event', '(select e.event_date from asset_event as e where e.event_hk = r.event_hk and e.known_to is null)', 'event_date');
