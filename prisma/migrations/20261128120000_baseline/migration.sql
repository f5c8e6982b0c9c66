-- The schema of the first release: types, functions that count rows of the star schema, tables by name with their indexes, foreign
-- keys and triggers. scripts/star-views.ts writes the views of the star schema at the end.

CREATE SCHEMA star_public;
CREATE TYPE analysis_type AS ENUM ('halal_analysis', 'market_context', 'regime');
CREATE TYPE asset_class AS ENUM ('crypto', 'stock', 'etf', 'commodity');
CREATE TYPE change_type AS ENUM ('RESTATEMENT', 'METHODOLOGY_CHANGE', 'MODEL_UPGRADE', 'DATA_REFRESH');
CREATE TYPE corporate_action_change_kind AS ENUM ('created', 'revised');
CREATE TYPE corporate_action_change_type AS ENUM ('split', 'reverse_split', 'spin_off', 'merger', 'ticker_change', 'dividend');
CREATE TYPE corporate_action_kind AS ENUM ('split', 'reverse_split', 'spin_off', 'merger');
CREATE TYPE dividend_frequency AS ENUM ('monthly', 'quarterly', 'semi_annual', 'annual', 'special', 'unspecified');
CREATE TYPE identifier_scheme AS ENUM ('ticker', 'isin', 'figi', 'cik', 'lei', 'name');
CREATE TYPE knowledge_basis AS ENUM ('observed', 'published');
CREATE TYPE mention_match AS ENUM ('name', 'ticker');
CREATE TYPE security_type AS ENUM ('preferred', 'warrant', 'unit', 'right');
CREATE TYPE timeframe AS ENUM ('1h', '1d');
CREATE TYPE venue AS ENUM ('binance', 'bitstamp', 'coinbase', 'kraken', 'okx');

CREATE FUNCTION audit_event_refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'audit_event is append-only: % refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE FUNCTION refuse_analysis_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE FUNCTION star_add() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION star_content(content jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
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
$_$;

CREATE FUNCTION star_recount() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE TABLE account (
    account_id uuid NOT NULL,
    email text,
    password_hash text,
    tier text NOT NULL,
    grants text[],
    quota_month integer,
    quota_hour integer,
    created_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    CONSTRAINT account_email_check CHECK ((email = lower(email))),
    CONSTRAINT account_quota_check CHECK (((quota_month >= 0) AND (quota_hour >= 0))),
    CONSTRAINT account_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'starter'::text, 'growth'::text, 'pro'::text, 'enterprise'::text]))),
    CONSTRAINT account_pkey PRIMARY KEY (account_id)
);

CREATE UNIQUE INDEX account_email_password_hash_key ON account (email, password_hash);

CREATE TABLE address_snapshot (
    chain_id integer NOT NULL,
    address text NOT NULL,
    snapshot_date date NOT NULL,
    balance_wei numeric(78,0) NOT NULL,
    transaction_count bigint NOT NULL,
    is_contract boolean NOT NULL,
    delegated_to text,
    contract_name text,
    contract_name_source text,
    block_number bigint NOT NULL,
    observed_at timestamptz(3) NOT NULL,
    fetched_at timestamptz(3) NOT NULL,
    source text NOT NULL,
    CONSTRAINT address_snapshot_address CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
    CONSTRAINT address_snapshot_pkey PRIMARY KEY (chain_id, address, snapshot_date)
);

CREATE INDEX address_snapshot_snapshot_date_idx ON address_snapshot (snapshot_date);

CREATE TABLE analysis_change (
    diff_id bigserial NOT NULL,
    computed_at timestamptz(3) NOT NULL,
    asset_id integer NOT NULL,
    analysis_type analysis_type NOT NULL,
    change_type change_type NOT NULL,
    from_snapshot_id uuid NOT NULL,
    to_snapshot_id uuid NOT NULL,
    changed_at timestamptz(3) NOT NULL,
    changes jsonb NOT NULL,
    text_changed boolean NOT NULL,
    similarity numeric(7,6),
    source text NOT NULL,
    place integer NOT NULL,
    CONSTRAINT analysis_change_place CHECK ((place >= 1)),
    CONSTRAINT analysis_change_similarity CHECK ((((similarity IS NULL) = (NOT text_changed)) AND ((similarity IS NULL) OR ((similarity >= (0)::numeric) AND (similarity <= (1)::numeric))))),
    CONSTRAINT analysis_change_pkey PRIMARY KEY (diff_id)
);

CREATE INDEX analysis_change_asset_id_computed_at_diff_id_idx ON analysis_change (asset_id, computed_at, diff_id);
CREATE INDEX analysis_change_computed_at_diff_id_idx ON analysis_change (computed_at DESC, diff_id DESC);
CREATE INDEX analysis_change_source_change_type_computed_at_diff_id_idx ON analysis_change (source, change_type, computed_at DESC, diff_id DESC);
CREATE UNIQUE INDEX analysis_change_to_snapshot_id_key ON analysis_change (to_snapshot_id);
CREATE INDEX analysis_change_total ON analysis_change (source, analysis_type, change_type, computed_at DESC, diff_id DESC, place);

CREATE TABLE analysis_snapshot (
    snapshot_id uuid NOT NULL,
    asset_id integer NOT NULL,
    analysis_type analysis_type NOT NULL,
    generated_at timestamptz(3) NOT NULL,
    known_from timestamptz(3) NOT NULL,
    supersedes uuid,
    sequence integer NOT NULL,
    content text NOT NULL,
    content_hash text NOT NULL,
    chain_hash text NOT NULL,
    signature text,
    signing_key_id text,
    model_id text NOT NULL,
    methodology_version text NOT NULL,
    prompt_version text,
    prompt_hash text,
    input_tokens integer,
    output_tokens integer,
    data_window_from timestamptz(3),
    data_window_to timestamptz(3),
    data_lineage jsonb NOT NULL,
    source text NOT NULL,
    standing integer NOT NULL,
    summary text GENERATED ALWAYS AS (((content)::jsonb ->> 'summary'::text)) STORED,
    sentiment_score float8 GENERATED ALWAYS AS ((((content)::jsonb ->> 'sentiment_score'::text))::float8) STORED,
    CONSTRAINT analysis_snapshot_hashes CHECK (((content_hash ~ '^sha256:[0-9a-f]{64}$'::text) AND (chain_hash ~ '^sha256:[0-9a-f]{64}$'::text))),
    CONSTRAINT analysis_snapshot_known CHECK ((known_from >= generated_at)),
    CONSTRAINT analysis_snapshot_sequence CHECK ((sequence >= 1)),
    CONSTRAINT analysis_snapshot_signature CHECK (((signature IS NULL) = (signing_key_id IS NULL))),
    CONSTRAINT analysis_snapshot_standing CHECK ((standing >= 1)),
    CONSTRAINT analysis_snapshot_pkey PRIMARY KEY (snapshot_id)
);

CREATE INDEX analysis_snapshot_asset_id_analysis_type_generated_at_idx ON analysis_snapshot (asset_id, analysis_type, generated_at DESC);
CREATE UNIQUE INDEX analysis_snapshot_asset_id_analysis_type_sequence_key ON analysis_snapshot (asset_id, analysis_type, sequence);
CREATE INDEX analysis_snapshot_day ON analysis_snapshot ((((generated_at AT TIME ZONE 'UTC'::text))::date), asset_id, analysis_type);
CREATE UNIQUE INDEX analysis_snapshot_supersedes_key ON analysis_snapshot (supersedes);
CREATE INDEX analysis_snapshot_total ON analysis_snapshot (asset_id, analysis_type, source, known_from DESC, sequence DESC, standing);

CREATE TABLE api_key (
    key_id uuid NOT NULL,
    account_id uuid NOT NULL,
    digest bytea NOT NULL,
    key_prefix text NOT NULL,
    label text NOT NULL,
    scopes text[],
    is_narrowed boolean DEFAULT false NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    idempotency_key text,
    request_sha256 text,
    maker_key_id uuid,
    url_operations text[],
    url_interfaces text[],
    url_hourly_units integer,
    clock_as_of timestamptz(3),
    clock_basis knowledge_basis,
    CONSTRAINT api_key_clock_check CHECK (((clock_as_of IS NULL) = (clock_basis IS NULL))),
    CONSTRAINT api_key_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT api_key_pkey PRIMARY KEY (key_id)
);

CREATE INDEX api_key_account_id_created_at_idx ON api_key (account_id, created_at);
CREATE UNIQUE INDEX api_key_account_id_idempotency_key_key ON api_key (account_id, idempotency_key);
CREATE UNIQUE INDEX api_key_digest_key ON api_key (digest);
CREATE INDEX api_key_maker_key_id_idx ON api_key (maker_key_id);

CREATE TABLE asset (
    asset_id integer NOT NULL,
    slug text NOT NULL,
    ticker text NOT NULL,
    name text NOT NULL,
    asset_class asset_class NOT NULL,
    tier integer,
    last_updated timestamptz(3) NOT NULL,
    source text NOT NULL,
    CONSTRAINT asset_slug_check CHECK ((slug = lower(slug))),
    CONSTRAINT asset_ticker_check CHECK ((ticker = upper(ticker))),
    CONSTRAINT asset_tier_check CHECK (((tier >= 1) AND (tier <= 3))),
    CONSTRAINT asset_tier_class_check CHECK (((tier IS NULL) OR (asset_class = 'crypto'::asset_class))),
    CONSTRAINT asset_pkey PRIMARY KEY (asset_id)
);

CREATE INDEX asset_asset_class_asset_id_idx ON asset (asset_class, asset_id);
CREATE UNIQUE INDEX asset_slug_key ON asset (slug);
CREATE INDEX asset_ticker_idx ON asset (ticker);
CREATE INDEX asset_tier_asset_id_idx ON asset (tier, asset_id);

CREATE TABLE asset_contract (
    asset_id integer NOT NULL,
    chain_id integer NOT NULL,
    address text NOT NULL,
    source text NOT NULL,
    CONSTRAINT asset_contract_address CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
    CONSTRAINT asset_contract_pkey PRIMARY KEY (asset_id)
);

CREATE TABLE asset_event (
    event_hk text NOT NULL,
    event_type text,
    event_date date,
    title text,
    description text,
    url text,
    reported_by text,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT asset_event_known CHECK ((known_to > known_from)),
    CONSTRAINT asset_event_url CHECK ((url ~ '^https?://'::text)),
    CONSTRAINT asset_event_withdrawn CHECK (
CASE
    WHEN is_withdrawn THEN ((COALESCE(event_type, title, description, url, reported_by) IS NULL) AND (event_date IS NULL))
    ELSE ((event_type IS NOT NULL) AND (event_date IS NOT NULL) AND (title IS NOT NULL))
END),
    CONSTRAINT asset_event_pkey PRIMARY KEY (event_hk, known_from)
);

CREATE INDEX asset_event_current_date ON asset_event (event_date) WHERE ((known_to IS NULL) AND (NOT is_withdrawn));
CREATE UNIQUE INDEX asset_event_current_key ON asset_event (event_hk) WHERE (known_to IS NULL);

CREATE TABLE asset_event_asset (
    event_hk text NOT NULL,
    asset_id integer NOT NULL,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT asset_event_asset_known CHECK ((known_to > known_from)),
    CONSTRAINT asset_event_asset_pkey PRIMARY KEY (event_hk, asset_id, known_from)
);

CREATE INDEX asset_event_asset_asset ON asset_event_asset (asset_id, event_hk) WHERE (known_to IS NULL);
CREATE INDEX asset_event_asset_current_asset ON asset_event_asset (asset_id) WHERE ((known_to IS NULL) AND (NOT is_withdrawn));
CREATE UNIQUE INDEX asset_event_asset_current_key ON asset_event_asset (event_hk, asset_id) WHERE (known_to IS NULL);

CREATE TABLE asset_fundamentals (
    asset_id integer NOT NULL,
    snapshot_date date NOT NULL,
    fees_30d_usd numeric(65,30),
    revenue_30d_usd numeric(65,30),
    fees_annualized numeric(65,30),
    revenue_annualized numeric(65,30),
    ps_ratio numeric(65,30),
    pr_ratio numeric(65,30),
    price_source text,
    supply_source text,
    methodology_version text NOT NULL,
    source text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    CONSTRAINT asset_fundamentals_known_check CHECK ((known_to > known_from)),
    CONSTRAINT asset_fundamentals_pkey PRIMARY KEY (asset_id, snapshot_date, known_from)
);

CREATE INDEX asset_fundamentals_current_day ON asset_fundamentals (snapshot_date, asset_id) WHERE (known_to IS NULL);
CREATE UNIQUE INDEX asset_fundamentals_current_key ON asset_fundamentals (asset_id, snapshot_date) WHERE (known_to IS NULL);

CREATE TABLE asset_onchain (
    asset_id integer NOT NULL,
    snapshot_date date NOT NULL,
    active_addresses bigint,
    tx_count bigint,
    fees_total_usd numeric(65,30),
    avg_fee_usd numeric(65,30),
    circulating_supply numeric(65,30),
    realized_cap_usd numeric(65,30),
    mvrv_ratio numeric(65,30),
    nupl numeric(65,30),
    sopr numeric(65,30),
    realized_price_usd numeric(65,30),
    hodl_waves jsonb,
    methodology_version text NOT NULL,
    source text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    CONSTRAINT asset_onchain_counts_check CHECK (((active_addresses >= 0) AND (tx_count >= 0))),
    CONSTRAINT asset_onchain_known_check CHECK ((known_to > known_from)),
    CONSTRAINT asset_onchain_pkey PRIMARY KEY (asset_id, snapshot_date, known_from)
);

CREATE INDEX asset_onchain_current_day ON asset_onchain (snapshot_date, asset_id) WHERE (known_to IS NULL);
CREATE UNIQUE INDEX asset_onchain_current_key ON asset_onchain (asset_id, snapshot_date) WHERE (known_to IS NULL);

CREATE TABLE asset_supply (
    asset_id integer NOT NULL,
    supply numeric(65,30) NOT NULL,
    source text NOT NULL,
    observed_at timestamptz(3) NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    methodology text,
    CONSTRAINT asset_supply_known CHECK ((known_to > known_from)),
    CONSTRAINT asset_supply_positive CHECK ((supply > (0)::numeric)),
    CONSTRAINT asset_supply_pkey PRIMARY KEY (asset_id, known_from)
);

CREATE INDEX asset_supply_observed ON asset_supply (asset_id, observed_at DESC, known_from DESC, supply);
CREATE UNIQUE INDEX asset_supply_standing ON asset_supply (asset_id) WHERE (known_to IS NULL);

CREATE TABLE asset_version (
    asset_id integer NOT NULL,
    ticker text NOT NULL,
    name text NOT NULL,
    tier integer,
    contract_address text,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT asset_version_known CHECK ((known_to > known_from)),
    CONSTRAINT asset_version_ticker CHECK ((ticker = upper(ticker))),
    CONSTRAINT asset_version_pkey PRIMARY KEY (asset_id, known_from)
);

CREATE UNIQUE INDEX asset_version_current_key ON asset_version (asset_id) INCLUDE (known_from) WHERE (known_to IS NULL);
CREATE INDEX asset_version_sk ON asset_version (md5((((asset_id)::text || '|'::text) || (((EXTRACT(epoch FROM (known_from AT TIME ZONE 'UTC'::text)) * (1000)::numeric))::bigint)::text)));

CREATE TABLE audit_event (
    event_id uuid NOT NULL,
    at timestamptz(3) NOT NULL,
    action text NOT NULL,
    account_id uuid,
    key_id uuid,
    origin text,
    actor text NOT NULL,
    details jsonb,
    CONSTRAINT audit_event_pkey PRIMARY KEY (event_id)
);

CREATE INDEX audit_event_account_id_at_idx ON audit_event (account_id, at);
CREATE INDEX audit_event_at_idx ON audit_event (at);

CREATE TABLE candle (
    asset_id integer NOT NULL,
    timeframe timeframe NOT NULL,
    ts timestamptz(3) NOT NULL,
    vwap_usd numeric(65,30),
    volume_usd numeric(65,30),
    exchanges_count smallint NOT NULL,
    max_source_weight numeric(11,10),
    methodology_version text NOT NULL,
    source text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    sources bytea NOT NULL,
    CONSTRAINT candle_known CHECK ((known_to > known_from)),
    CONSTRAINT candle_price CHECK ((vwap_usd > (0)::numeric)),
    CONSTRAINT candle_weight CHECK (((max_source_weight >= (0)::numeric) AND (max_source_weight <= 0.5)))
)
PARTITION BY RANGE (ts);

DO $$
DECLARE
  year int;
BEGIN
  FOR year IN 2020..2030 LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF candle FOR VALUES FROM (%L) TO (%L)',
      'candle_' || year, year || '-01-01Z', (year + 1) || '-01-01Z');
  END LOOP;
END $$;
CREATE TABLE candle_before_2020 PARTITION OF candle FOR VALUES FROM (MINVALUE) TO ('2020-01-01Z');
CREATE TABLE candle_later PARTITION OF candle DEFAULT;

CREATE UNIQUE INDEX candle_closed ON candle (asset_id, timeframe, ts, known_from) WHERE (known_to IS NOT NULL);
CREATE UNIQUE INDEX candle_standing ON candle (asset_id, timeframe, ts) INCLUDE (vwap_usd, volume_usd, exchanges_count, max_source_weight) WHERE (known_to IS NULL);
CREATE INDEX candle_star_days ON candle ((((ts AT TIME ZONE 'UTC'::text))::date), asset_id) WHERE ((timeframe = '1d'::timeframe) AND (known_to IS NULL) AND (vwap_usd IS NOT NULL) AND (exchanges_count >= 3));
CREATE INDEX candle_star_instants ON candle (ts, asset_id, timeframe) WHERE ((known_to IS NULL) AND (vwap_usd IS NOT NULL));

CREATE TABLE candle_backfill (
    asset_id integer NOT NULL,
    day date NOT NULL,
    venues text[],
    CONSTRAINT candle_backfill_pkey PRIMARY KEY (asset_id, day)
);

CREATE TABLE commodity_price (
    symbol text NOT NULL,
    price_date date NOT NULL,
    source text NOT NULL,
    price_usd numeric(65,30) NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    CONSTRAINT commodity_price_known_check CHECK ((known_to > known_from)),
    CONSTRAINT commodity_price_price_usd_check CHECK ((price_usd > (0)::numeric)),
    CONSTRAINT commodity_price_pkey PRIMARY KEY (symbol, price_date, source, known_from)
);

CREATE UNIQUE INDEX commodity_price_current_key ON commodity_price (symbol, price_date, source) INCLUDE (price_usd) WHERE (known_to IS NULL);

CREATE TABLE company_period (
    cik text NOT NULL,
    period text NOT NULL,
    period_end date NOT NULL,
    period_start date,
    is_latest boolean NOT NULL,
    form text NOT NULL,
    accession text NOT NULL,
    filed date NOT NULL,
    revenue_usd numeric(65,30),
    net_income_usd numeric(65,30),
    ebitda_usd numeric(65,30),
    interest_income_usd numeric(65,30),
    eps_basic numeric(65,30),
    eps_diluted numeric(65,30),
    total_debt_usd numeric(65,30),
    cash_and_equivalents_usd numeric(65,30),
    short_term_investments_usd numeric(65,30),
    total_assets_usd numeric(65,30),
    accounts_receivable_usd numeric(65,30),
    shares_outstanding numeric(65,30),
    public_float_usd numeric(65,30),
    methodology_version text NOT NULL,
    source text NOT NULL,
    CONSTRAINT company_period_cik_check CHECK ((cik ~ '^[0-9]{10}$'::text)),
    CONSTRAINT company_period_period_check CHECK ((period = ANY (ARRAY['year'::text, 'quarter'::text, 'ttm'::text]))),
    CONSTRAINT company_period_pkey PRIMARY KEY (cik, period, period_end)
);

CREATE UNIQUE INDEX company_period_latest ON company_period (period, cik) WHERE is_latest;

CREATE TABLE corporate_action (
    asset_id integer NOT NULL,
    ex_date date NOT NULL,
    action_type corporate_action_kind NOT NULL,
    ratio numeric,
    description text,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    value_ratio numeric,
    CONSTRAINT corporate_action_known CHECK ((known_to > known_from)),
    CONSTRAINT corporate_action_ratio CHECK (((ratio > (0)::numeric) AND (ratio < 'Infinity'::numeric))),
    CONSTRAINT corporate_action_value_ratio_check CHECK (((value_ratio > (0)::numeric) AND (value_ratio < (1)::numeric))),
    CONSTRAINT corporate_action_withdrawn CHECK (((NOT is_withdrawn) OR ((ratio IS NULL) AND (description IS NULL)))),
    CONSTRAINT corporate_action_pkey PRIMARY KEY (asset_id, ex_date, action_type, known_from)
);

CREATE UNIQUE INDEX corporate_action_current ON corporate_action (asset_id, ex_date, action_type) WHERE (known_to IS NULL);

CREATE TABLE corporate_action_change (
    diff_id bigint NOT NULL,
    change_id uuid NOT NULL,
    computed_at timestamptz(3) NOT NULL,
    asset_id integer NOT NULL,
    action_type corporate_action_change_type NOT NULL,
    action_key text NOT NULL,
    change_kind corporate_action_change_kind NOT NULL,
    before jsonb,
    after jsonb,
    known_from timestamptz(3) NOT NULL,
    source text NOT NULL,
    place integer NOT NULL,
    CONSTRAINT corporate_action_change_created CHECK (((change_kind = 'revised'::corporate_action_change_kind) OR (before IS NULL))),
    CONSTRAINT corporate_action_change_differs CHECK ((before IS DISTINCT FROM after)),
    CONSTRAINT corporate_action_change_pkey PRIMARY KEY (diff_id)
);

CREATE INDEX corporate_action_change_action ON corporate_action_change (asset_id, action_type, action_key, computed_at DESC, diff_id DESC);
CREATE INDEX corporate_action_change_asset_id_computed_at_diff_id_idx ON corporate_action_change (asset_id, computed_at, diff_id);
CREATE UNIQUE INDEX corporate_action_change_change_id_key ON corporate_action_change (change_id);
CREATE INDEX corporate_action_change_computed_at_diff_id_idx ON corporate_action_change (computed_at DESC, diff_id DESC);
CREATE INDEX corporate_action_change_total ON corporate_action_change (action_type, change_kind, computed_at DESC, diff_id DESC, place);

CREATE TABLE daily_price (
    instrument_id integer NOT NULL,
    date date NOT NULL,
    close numeric(20,8) NOT NULL,
    currency character(3) NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    open numeric(20,8),
    high numeric(20,8),
    low numeric(20,8),
    volume bigint,
    CONSTRAINT daily_price_close_check CHECK ((close > (0)::numeric)),
    CONSTRAINT daily_price_high_check CHECK ((high >= GREATEST(open, low, close))),
    CONSTRAINT daily_price_known_check CHECK ((known_to > known_from)),
    CONSTRAINT daily_price_low_check CHECK (((low > (0)::numeric) AND (low <= LEAST(open, high, close)))),
    CONSTRAINT daily_price_open_check CHECK ((open > (0)::numeric)),
    CONSTRAINT daily_price_volume_check CHECK ((volume >= 0)),
    CONSTRAINT daily_price_pkey PRIMARY KEY (instrument_id, date, source, known_from)
);

CREATE UNIQUE INDEX daily_price_current_key ON daily_price (instrument_id, date, source) WHERE (known_to IS NULL);

CREATE TABLE data_grain (
    dataset text NOT NULL,
    grain text NOT NULL,
    version bigint NOT NULL,
    commit_id uuid NOT NULL,
    observed_at timestamptz(3) NOT NULL,
    changed_at timestamptz(3) NOT NULL,
    CONSTRAINT data_grain_pkey PRIMARY KEY (dataset, grain)
);

CREATE INDEX data_grain_dataset_version_idx ON data_grain (dataset, version);

CREATE TABLE dataset_extent (
    dataset text NOT NULL,
    rows bigint NOT NULL,
    since date,
    counted_at timestamptz(3) NOT NULL,
    findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    findings_total integer DEFAULT 0 NOT NULL,
    CONSTRAINT dataset_extent_pkey PRIMARY KEY (dataset)
);

CREATE TABLE dataset_state (
    dataset text NOT NULL,
    version bigint NOT NULL,
    source text NOT NULL,
    is_dev_dataset boolean NOT NULL,
    observed_at timestamptz(3) NOT NULL,
    changed_at timestamptz(3) NOT NULL,
    commit_id uuid DEFAULT gen_random_uuid() NOT NULL,
    parts jsonb DEFAULT '{}'::jsonb NOT NULL,
    grained_version bigint,
    recent_commits uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    CONSTRAINT dataset_state_version_check CHECK ((version >= 0)),
    CONSTRAINT dataset_state_pkey PRIMARY KEY (dataset)
);

CREATE TABLE dividend (
    asset_id integer NOT NULL,
    ex_date date NOT NULL,
    frequency dividend_frequency NOT NULL,
    pay_date date,
    amount numeric,
    currency text,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT dividend_amount CHECK (((amount > (0)::numeric) AND (amount < 'Infinity'::numeric))),
    CONSTRAINT dividend_currency CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT dividend_known CHECK ((known_to > known_from)),
    CONSTRAINT dividend_paid CHECK ((pay_date >= ex_date)),
    CONSTRAINT dividend_withdrawn CHECK (
CASE
    WHEN is_withdrawn THEN ((amount IS NULL) AND (currency IS NULL) AND (pay_date IS NULL))
    ELSE ((amount IS NOT NULL) AND (currency IS NOT NULL))
END),
    CONSTRAINT dividend_pkey PRIMARY KEY (asset_id, ex_date, frequency, known_from)
);

CREATE UNIQUE INDEX dividend_current ON dividend (asset_id, ex_date, frequency) WHERE (known_to IS NULL);

CREATE TABLE etf_holding (
    report_id bigint NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    ticker text,
    mic text,
    isin text,
    figi text,
    lei text,
    weight numeric(60,20) NOT NULL,
    shares numeric(60,20),
    market_value_usd numeric(60,20),
    asset_category text,
    country text,
    unverified text[] DEFAULT ARRAY[]::text[] NOT NULL,
    CONSTRAINT etf_holding_position_check CHECK (("position" >= 1)),
    CONSTRAINT etf_holding_pkey PRIMARY KEY (report_id, "position")
);

CREATE INDEX etf_holding_figi_idx ON etf_holding (figi) WHERE (figi IS NOT NULL);
CREATE INDEX etf_holding_isin_idx ON etf_holding (isin) WHERE (isin IS NOT NULL);
CREATE INDEX etf_holding_lei_idx ON etf_holding (lei) WHERE (lei IS NOT NULL);
CREATE INDEX etf_holding_ticker_idx ON etf_holding (ticker) WHERE (ticker IS NOT NULL);

CREATE TABLE etf_report (
    report_id bigserial NOT NULL,
    asset_id integer NOT NULL,
    as_of date NOT NULL,
    status text NOT NULL,
    reason text,
    published_at timestamptz(3),
    accession text,
    is_amendment boolean NOT NULL,
    net_assets_usd numeric(60,20),
    shares_outstanding numeric(60,20),
    nav numeric(60,20),
    nav_currency text,
    is_nav_computed boolean NOT NULL,
    weight_sum numeric(60,20) NOT NULL,
    uninvested_cash numeric(60,20),
    holdings_count integer NOT NULL,
    content_hash text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT etf_report_known_check CHECK ((known_to > known_from)),
    CONSTRAINT etf_report_nav_check CHECK (((nav IS NULL) = (nav_currency IS NULL))),
    CONSTRAINT etf_report_status_check CHECK (((status = ANY (ARRAY['good'::text, 'quarantined'::text])) AND ((status = 'quarantined'::text) = (reason IS NOT NULL)))),
    CONSTRAINT etf_report_pkey PRIMARY KEY (report_id)
);

CREATE INDEX etf_report_asset_id_as_of_idx ON etf_report (asset_id, as_of DESC);
CREATE UNIQUE INDEX etf_report_current_key ON etf_report (asset_id, as_of, source, status) WHERE (known_to IS NULL);

CREATE TABLE exchange_listing (
    venue text NOT NULL,
    symbol text NOT NULL,
    ticker text,
    quote text,
    is_trading boolean,
    name text,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT exchange_listing_known CHECK ((known_to > known_from)),
    CONSTRAINT exchange_listing_pkey PRIMARY KEY (venue, symbol, known_from)
);

CREATE UNIQUE INDEX exchange_listing_current ON exchange_listing (venue, symbol) WHERE (known_to IS NULL);

CREATE TABLE excluded_listing (
    asset_id integer NOT NULL,
    venue text NOT NULL,
    symbol text NOT NULL,
    reason text NOT NULL,
    excluded_at timestamptz(3) NOT NULL,
    CONSTRAINT excluded_listing_pkey PRIMARY KEY (asset_id, venue, symbol)
);

CREATE TABLE figi_symbol (
    figi text NOT NULL,
    ticker text NOT NULL,
    occurrence integer NOT NULL,
    name text NOT NULL,
    valid_from date,
    valid_to date,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT figi_symbol_known CHECK ((known_to > known_from)),
    CONSTRAINT figi_symbol_valid CHECK ((valid_to > valid_from)),
    CONSTRAINT figi_symbol_pkey PRIMARY KEY (figi, ticker, occurrence, known_from)
);

CREATE UNIQUE INDEX figi_symbol_current ON figi_symbol (figi, ticker, occurrence) WHERE (known_to IS NULL);
CREATE INDEX figi_symbol_ticker_idx ON figi_symbol (ticker);

CREATE TABLE filed_fact (
    cik text NOT NULL,
    taxonomy text NOT NULL,
    tag text NOT NULL,
    unit text NOT NULL,
    period_end date NOT NULL,
    period_days integer NOT NULL,
    accession text NOT NULL,
    form text,
    filed date,
    value numeric(65,30),
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT filed_fact_cik_check CHECK ((cik ~ '^[0-9]{10}$'::text)),
    CONSTRAINT filed_fact_known_check CHECK ((known_to > known_from)),
    CONSTRAINT filed_fact_period_check CHECK ((period_days >= 0)),
    CONSTRAINT filed_fact_value_check CHECK (
CASE
    WHEN is_withdrawn THEN (value IS NULL)
    ELSE ((value IS NOT NULL) AND (form IS NOT NULL) AND (filed IS NOT NULL))
END),
    CONSTRAINT filed_fact_pkey PRIMARY KEY (cik, taxonomy, tag, unit, period_end, period_days, accession, known_from)
);

CREATE INDEX filed_fact_annual ON filed_fact (cik, accession, period_end, form, filed) WHERE ((known_to IS NULL) AND ((period_days >= 350) AND (period_days <= 380)));
CREATE INDEX filed_fact_cover ON filed_fact (cik, period_end) WHERE ((known_to IS NULL) AND (taxonomy = 'dei'::text));
CREATE UNIQUE INDEX filed_fact_current_key ON filed_fact (cik, period_end, taxonomy, tag, unit, period_days, accession) WHERE (known_to IS NULL);

CREATE TABLE forex_rate (
    quote character(3) NOT NULL,
    date date NOT NULL,
    rate numeric(20,8) NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT forex_rate_known_check CHECK ((known_to > known_from)),
    CONSTRAINT forex_rate_quote_check CHECK ((quote ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT forex_rate_rate_check CHECK ((rate > (0)::numeric)),
    CONSTRAINT forex_rate_pkey PRIMARY KEY (quote, date, known_from)
);

CREATE UNIQUE INDEX forex_rate_standing_key ON forex_rate (quote, date) INCLUDE (rate) WHERE (known_to IS NULL);

CREATE TABLE fund_class (
    class_id text NOT NULL,
    series_id text NOT NULL,
    cik text NOT NULL,
    ticker text,
    name text,
    named_at timestamptz(3),
    unlisted_on date,
    asset_id integer,
    filings_asked_at timestamptz(3),
    source text NOT NULL,
    CONSTRAINT fund_class_pkey PRIMARY KEY (class_id)
);

CREATE UNIQUE INDEX fund_class_asset_id_key ON fund_class (asset_id);

CREATE TABLE ingest_run (
    run_id uuid NOT NULL,
    feed text NOT NULL,
    provider text NOT NULL,
    dataset text NOT NULL,
    started_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    status text NOT NULL,
    origin text NOT NULL,
    body_sha256 text,
    body_bytes bigint,
    added integer DEFAULT 0 NOT NULL,
    revised integer DEFAULT 0 NOT NULL,
    unchanged integer DEFAULT 0 NOT NULL,
    rejected integer DEFAULT 0 NOT NULL,
    rejections jsonb,
    error text,
    absent integer DEFAULT 0 NOT NULL,
    also_changed integer DEFAULT 0 NOT NULL,
    cause text,
    CONSTRAINT ingest_run_cause_check CHECK ((cause = ANY (ARRAY['provider'::text, 'data'::text, 'gateway'::text]))),
    CONSTRAINT ingest_run_count_check CHECK (((added >= 0) AND (revised >= 0) AND (unchanged >= 0) AND (rejected >= 0))),
    CONSTRAINT ingest_run_finished_check CHECK (((status = 'running'::text) = (finished_at IS NULL))),
    CONSTRAINT ingest_run_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text]))),
    CONSTRAINT ingest_run_pkey PRIMARY KEY (run_id)
);

CREATE INDEX ingest_run_feed_started_at_idx ON ingest_run (feed, started_at DESC);
CREATE INDEX ingest_run_feed_status_started_at_idx ON ingest_run (feed, status, started_at);
CREATE INDEX ingest_run_dataset_status_started_at_idx ON ingest_run (dataset, status, started_at);
CREATE INDEX ingest_run_status_idx ON ingest_run (status);
CREATE INDEX ingest_run_failed_idx ON ingest_run (started_at) WHERE (status = 'failed'::text);

CREATE TABLE installation (
    id integer DEFAULT 1 NOT NULL,
    production_since timestamptz(3),
    login_salt bytea,
    CONSTRAINT installation_pkey PRIMARY KEY (id)
);

CREATE TABLE installation_secret (
    name text NOT NULL,
    fingerprint text NOT NULL,
    noted_at timestamptz(3) NOT NULL,
    CONSTRAINT installation_secret_pkey PRIMARY KEY (name)
);

CREATE TABLE instrument (
    instrument_id integer NOT NULL,
    asset_id integer NOT NULL,
    ticker text NOT NULL,
    mic text,
    isin text,
    figi text,
    currency text NOT NULL,
    sector_gics text,
    cik text,
    is_primary boolean NOT NULL,
    source text NOT NULL,
    lei text,
    exchange text,
    security_type security_type,
    issuer_asset_id integer,
    inactive_since date,
    is_confirmed boolean DEFAULT true NOT NULL,
    CONSTRAINT instrument_cik_check CHECK ((cik ~ '^[0-9]{10}$'::text)),
    CONSTRAINT instrument_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT instrument_figi_check CHECK ((figi ~ '^[A-Z0-9]{11}[0-9]$'::text)),
    CONSTRAINT instrument_isin_check CHECK ((isin ~ '^[A-Z]{2}[A-Z0-9]{9}[0-9]$'::text)),
    CONSTRAINT instrument_mic_check CHECK ((mic ~ '^[A-Z0-9]{4}$'::text)),
    CONSTRAINT instrument_ticker_check CHECK ((ticker = upper(ticker))),
    CONSTRAINT instrument_pkey PRIMARY KEY (instrument_id)
);

CREATE INDEX instrument_asset_id_idx ON instrument (asset_id);
CREATE INDEX instrument_figi_idx ON instrument (figi);
CREATE INDEX instrument_isin_idx ON instrument (isin);
CREATE INDEX instrument_issuer_asset_id_idx ON instrument (issuer_asset_id);
CREATE INDEX instrument_lei_idx ON instrument (lei);
CREATE INDEX instrument_mic_asset_id_idx ON instrument (mic, asset_id);
CREATE UNIQUE INDEX instrument_ticker_mic_key ON instrument (ticker, mic);

CREATE TABLE instrument_identifier (
    asset_id integer NOT NULL,
    scheme identifier_scheme NOT NULL,
    value text NOT NULL,
    valid_from date,
    valid_to date,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    occurrence integer DEFAULT 1 NOT NULL,
    CONSTRAINT instrument_identifier_known CHECK ((known_to > known_from)),
    CONSTRAINT instrument_identifier_valid CHECK ((valid_to > valid_from)),
    CONSTRAINT instrument_identifier_pkey PRIMARY KEY (asset_id, scheme, value, occurrence, known_from)
);

CREATE UNIQUE INDEX instrument_identifier_current ON instrument_identifier (asset_id, scheme, value, occurrence) WHERE (known_to IS NULL);
CREATE INDEX instrument_identifier_former_ticker ON instrument_identifier (value) WHERE ((known_to IS NULL) AND (scheme = 'ticker'::identifier_scheme) AND (valid_to IS NOT NULL));

CREATE TABLE iso_currency (
    code text NOT NULL,
    numeric_code text NOT NULL,
    name text NOT NULL,
    minor_units integer,
    source text NOT NULL,
    CONSTRAINT iso_currency_pkey PRIMARY KEY (code)
);

CREATE TABLE iso_market (
    mic text NOT NULL,
    operating_mic text NOT NULL,
    name text NOT NULL,
    country text NOT NULL,
    source text NOT NULL,
    CONSTRAINT iso_market_pkey PRIMARY KEY (mic)
);

CREATE TABLE job_run (
    job text NOT NULL,
    due_at timestamptz(3) NOT NULL,
    covers_to timestamptz(3) NOT NULL,
    status text NOT NULL,
    attempt integer NOT NULL,
    term bigint NOT NULL,
    started_at timestamptz(3),
    finished_at timestamptz(3),
    next_attempt_at timestamptz(3),
    detail text,
    CONSTRAINT job_run_pkey PRIMARY KEY (job, due_at)
);

CREATE INDEX job_run_job_status_due_at_idx ON job_run (job, status, due_at DESC);
CREATE INDEX job_run_repeated_idx ON job_run (job, due_at) WHERE (attempt > 1);

CREATE TABLE lane_node (
    node uuid NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    lanes jsonb DEFAULT '[]'::jsonb NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    CONSTRAINT lane_node_pkey PRIMARY KEY (node)
);

CREATE TABLE lane_shard (
    shard integer NOT NULL,
    shards integer NOT NULL,
    node uuid,
    term bigint NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT lane_shard_pkey PRIMARY KEY (shard)
);

CREATE TABLE legal_entity (
    lei text NOT NULL,
    legal_name text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT legal_entity_known_check CHECK ((known_to > known_from)),
    CONSTRAINT legal_entity_pkey PRIMARY KEY (lei, known_from)
);

CREATE UNIQUE INDEX legal_entity_current_key ON legal_entity (lei) INCLUDE (legal_name) WHERE (known_to IS NULL);

CREATE TABLE listed_symbol (
    ticker text NOT NULL,
    cik text NOT NULL,
    exchange text NOT NULL,
    occurrence integer NOT NULL,
    name text NOT NULL,
    valid_from date,
    valid_to date,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT listed_symbol_known CHECK ((known_to > known_from)),
    CONSTRAINT listed_symbol_valid CHECK ((valid_to > valid_from)),
    CONSTRAINT listed_symbol_pkey PRIMARY KEY (ticker, cik, exchange, occurrence, known_from)
);

CREATE INDEX listed_symbol_cik_idx ON listed_symbol (cik);
CREATE UNIQUE INDEX listed_symbol_current ON listed_symbol (ticker, cik, exchange, occurrence) WHERE (known_to IS NULL);

CREATE TABLE macro_observation (
    series_id integer NOT NULL,
    period_start date NOT NULL,
    value numeric(65,30),
    note text,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    CONSTRAINT macro_observation_known_check CHECK ((known_to > known_from)),
    CONSTRAINT macro_observation_value_check CHECK (((NOT is_withdrawn) OR (value IS NULL))),
    CONSTRAINT macro_observation_pkey PRIMARY KEY (series_id, period_start, known_from)
);

CREATE UNIQUE INDEX macro_observation_current_key ON macro_observation (series_id, period_start) INCLUDE (value, note, is_withdrawn) WHERE (known_to IS NULL);

CREATE TABLE macro_series (
    series_id serial NOT NULL,
    provider text NOT NULL,
    dataset text NOT NULL,
    series_key text NOT NULL,
    country text,
    unit text,
    frequency text NOT NULL,
    description text,
    is_headline boolean NOT NULL,
    is_discontinued boolean DEFAULT false NOT NULL,
    source text NOT NULL,
    CONSTRAINT macro_series_frequency_check CHECK ((frequency = ANY (ARRAY['annual'::text, 'semi_annual'::text, 'quarterly'::text, 'monthly'::text, 'semi_monthly'::text, 'weekly'::text, 'daily'::text]))),
    CONSTRAINT macro_series_pkey PRIMARY KEY (series_id)
);

CREATE INDEX macro_series_headline ON macro_series (provider, country) WHERE is_headline;
CREATE INDEX macro_series_of_country ON macro_series (provider, dataset, country, series_key) WHERE (country IS NOT NULL);
CREATE UNIQUE INDEX macro_series_provider_dataset_series_key_key ON macro_series (provider, dataset, series_key);

CREATE TABLE mapping_question (
    scheme identifier_scheme NOT NULL,
    value text NOT NULL,
    market text NOT NULL,
    figi text,
    name text,
    asset_class asset_class,
    mic text,
    currency text,
    asked_at timestamptz(3),
    CONSTRAINT mapping_question_pkey PRIMARY KEY (scheme, value, market)
);

CREATE INDEX mapping_question_figi_idx ON mapping_question (figi);

CREATE TABLE minute_bar (
    asset_id integer NOT NULL,
    venue venue NOT NULL,
    ts timestamptz(3) NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    figures bytea NOT NULL,
    CONSTRAINT minute_bar_known CHECK ((known_to > known_from))
)
PARTITION BY RANGE (ts);

DO $$
DECLARE
  month timestamp := '2026-01-01';
BEGIN
  WHILE month < '2028-01-01' LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF minute_bar FOR VALUES FROM (%L) TO (%L)',
      'minute_bar_' || to_char(month, 'YYYY_MM'), month || 'Z', (month + interval '1 month') || 'Z');
    month := month + interval '1 month';
  END LOOP;
END $$;
CREATE TABLE minute_bar_later PARTITION OF minute_bar DEFAULT;

CREATE UNIQUE INDEX minute_bar_current ON minute_bar (asset_id, venue, ts) WHERE (known_to IS NULL);
CREATE UNIQUE INDEX minute_bar_closed ON minute_bar (asset_id, venue, ts, known_from) WHERE (known_to IS NOT NULL);

CREATE TABLE news_article (
    article_hk text NOT NULL,
    title text NOT NULL,
    link text NOT NULL,
    news_source_id text NOT NULL,
    published_at timestamptz(3) NOT NULL,
    feed text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT news_article_known CHECK ((known_to > known_from)),
    CONSTRAINT news_article_link CHECK ((link ~ '^https?://'::text)),
    CONSTRAINT news_article_pkey PRIMARY KEY (article_hk, known_from)
);

CREATE UNIQUE INDEX news_article_current_key ON news_article (article_hk) WHERE (known_to IS NULL);
CREATE INDEX news_article_current_published ON news_article (published_at) WHERE (known_to IS NULL);
CREATE INDEX news_article_current_source ON news_article (news_source_id) WHERE (known_to IS NULL);

CREATE TABLE news_mention (
    article_hk text NOT NULL,
    asset_id integer NOT NULL,
    matched_by mention_match,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT news_mention_known CHECK ((known_to > known_from)),
    CONSTRAINT news_mention_withdrawn CHECK ((is_withdrawn = (matched_by IS NULL))),
    CONSTRAINT news_mention_pkey PRIMARY KEY (article_hk, asset_id, known_from)
);

CREATE INDEX news_mention_asset ON news_mention (asset_id, article_hk) WHERE (known_to IS NULL);
CREATE INDEX news_mention_current_asset ON news_mention (asset_id) WHERE ((known_to IS NULL) AND (NOT is_withdrawn));
CREATE UNIQUE INDEX news_mention_current_key ON news_mention (article_hk, asset_id) WHERE (known_to IS NULL);

CREATE TABLE news_source (
    news_source_id text NOT NULL,
    editor text NOT NULL,
    editor_normalized text NOT NULL,
    first_seen_at timestamptz(3) NOT NULL,
    last_seen_at timestamptz(3) NOT NULL,
    loaded_at timestamptz(3) NOT NULL,
    source text NOT NULL,
    CONSTRAINT news_source_seen CHECK ((last_seen_at >= first_seen_at)),
    CONSTRAINT news_source_pkey PRIMARY KEY (news_source_id)
);

CREATE UNIQUE INDEX news_source_editor_normalized_key ON news_source (editor_normalized);

CREATE TABLE newsletter_delivery (
    issue_id text NOT NULL,
    account_id uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    term bigint,
    next_attempt_at timestamptz(3) NOT NULL,
    opened_at timestamptz(3),
    settled_at timestamptz(3),
    last_error text,
    CONSTRAINT newsletter_delivery_settled_check CHECK (((settled_at IS NULL) = (state = ANY (ARRAY['pending'::text, 'open'::text])))),
    CONSTRAINT newsletter_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'open'::text, 'accepted'::text, 'rejected'::text, 'failed'::text, 'unconfirmed'::text, 'cancelled'::text]))),
    CONSTRAINT newsletter_delivery_pkey PRIMARY KEY (issue_id, account_id)
);

CREATE INDEX newsletter_delivery_due_idx ON newsletter_delivery (next_attempt_at) WHERE (settled_at IS NULL);

CREATE TABLE newsletter_issue (
    issue_id text NOT NULL,
    subject text NOT NULL,
    html text NOT NULL,
    text text NOT NULL,
    sections jsonb NOT NULL,
    content_hash text NOT NULL,
    is_dev_dataset boolean NOT NULL,
    generated_at timestamptz(3) NOT NULL,
    send_by timestamptz(3) NOT NULL,
    sent_at timestamptz(3),
    CONSTRAINT newsletter_issue_pkey PRIMARY KEY (issue_id)
);

CREATE TABLE newsletter_node (
    node uuid NOT NULL,
    name text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT newsletter_node_pkey PRIMARY KEY (node)
);

CREATE TABLE newsletter_shard (
    shard integer NOT NULL,
    shards integer NOT NULL,
    node uuid,
    term bigint NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT newsletter_shard_pkey PRIMARY KEY (shard)
);

CREATE TABLE newsletter_subscription (
    account_id uuid NOT NULL,
    requested_at timestamptz(3) NOT NULL,
    confirm_sent_at timestamptz(3),
    confirmed_at timestamptz(3),
    ended_at timestamptz(3),
    end_reason text,
    CONSTRAINT newsletter_subscription_end_check CHECK ((((ended_at IS NULL) = (end_reason IS NULL)) AND (end_reason = ANY (ARRAY['unsubscribed'::text, 'rejected'::text])))),
    CONSTRAINT newsletter_subscription_pkey PRIMARY KEY (account_id)
);

CREATE TABLE protocol (
    protocol_id text NOT NULL,
    name text NOT NULL,
    category text,
    chains text[],
    source text NOT NULL,
    CONSTRAINT protocol_pkey PRIMARY KEY (protocol_id)
);

CREATE TABLE protocol_economics (
    protocol_id text NOT NULL,
    snapshot_date date NOT NULL,
    measure text NOT NULL,
    total_24h_usd numeric(65,30),
    total_7d_usd numeric(65,30),
    total_30d_usd numeric(65,30),
    source text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    CONSTRAINT protocol_economics_known_check CHECK ((known_to > known_from)),
    CONSTRAINT protocol_economics_measure_check CHECK ((measure = ANY (ARRAY['fees'::text, 'revenue'::text]))),
    CONSTRAINT protocol_economics_pkey PRIMARY KEY (protocol_id, measure, snapshot_date, known_from)
);

CREATE INDEX protocol_economics_current_day ON protocol_economics (snapshot_date, protocol_id, measure) WHERE (known_to IS NULL);
CREATE UNIQUE INDEX protocol_economics_current_key ON protocol_economics (protocol_id, measure, snapshot_date) WHERE (known_to IS NULL);

CREATE TABLE protocol_tvl (
    protocol_id text NOT NULL,
    snapshot_date date NOT NULL,
    tvl_usd numeric(65,30) NOT NULL,
    tvl_change_1d_pct numeric(65,30),
    tvl_change_7d_pct numeric(65,30),
    source text NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    CONSTRAINT protocol_tvl_known_check CHECK ((known_to > known_from)),
    CONSTRAINT protocol_tvl_pkey PRIMARY KEY (protocol_id, snapshot_date, known_from)
);

CREATE INDEX protocol_tvl_current_day ON protocol_tvl (snapshot_date, protocol_id) WHERE (known_to IS NULL);
CREATE UNIQUE INDEX protocol_tvl_current_key ON protocol_tvl (protocol_id, snapshot_date) WHERE (known_to IS NULL);

CREATE TABLE rate_counter (
    key varchar(255) NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    expire bigint,
    refunded bigint DEFAULT 0 NOT NULL,
    CONSTRAINT rate_counter_pkey PRIMARY KEY (key)
);

CREATE INDEX rate_counter_expire_idx ON rate_counter (expire);

CREATE TABLE sanctions_listing (
    list text NOT NULL,
    listing_id text NOT NULL,
    subject_id text,
    programs text[] DEFAULT ARRAY[]::text[] NOT NULL,
    lists text[] DEFAULT ARRAY[]::text[] NOT NULL,
    listed_on date,
    ended_on date,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT sanctions_listing_known_check CHECK ((known_to > known_from)),
    CONSTRAINT sanctions_listing_pkey PRIMARY KEY (list, listing_id, known_from)
);

CREATE UNIQUE INDEX sanctions_listing_current_key ON sanctions_listing (list, listing_id) WHERE (known_to IS NULL);
CREATE INDEX sanctions_listing_list_subject_id_idx ON sanctions_listing (list, subject_id);

CREATE TABLE sanctions_subject (
    list text NOT NULL,
    section text NOT NULL,
    subject_id text NOT NULL,
    identifiers text[] DEFAULT ARRAY[]::text[] NOT NULL,
    identifier_labels text[] DEFAULT ARRAY[]::text[] NOT NULL,
    name text,
    is_listed boolean DEFAULT false NOT NULL,
    lists text[] DEFAULT ARRAY[]::text[] NOT NULL,
    programs text[] DEFAULT ARRAY[]::text[] NOT NULL,
    listed_on date,
    referents text[] DEFAULT ARRAY[]::text[] NOT NULL,
    is_withdrawn boolean DEFAULT false NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_to timestamptz(3),
    source text NOT NULL,
    CONSTRAINT sanctions_subject_known_check CHECK ((known_to > known_from)),
    CONSTRAINT sanctions_subject_pkey PRIMARY KEY (list, section, subject_id, known_from)
);

CREATE UNIQUE INDEX sanctions_subject_current_key ON sanctions_subject (list, section, subject_id) WHERE (known_to IS NULL);
CREATE INDEX sanctions_subject_identifiers_idx ON sanctions_subject USING gin (identifiers);
CREATE INDEX sanctions_subject_list_known_from_idx ON sanctions_subject (list, known_from);

CREATE TABLE schedule_node (
    node uuid NOT NULL,
    name text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT schedule_node_pkey PRIMARY KEY (node)
);

CREATE TABLE schedule_shard (
    shard integer NOT NULL,
    shards integer NOT NULL,
    node uuid,
    term bigint NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT schedule_shard_pkey PRIMARY KEY (shard)
);

CREATE TABLE snapshot_signing_key (
    key_id text NOT NULL,
    x text NOT NULL,
    seal text NOT NULL,
    noted_at timestamptz(3) NOT NULL,
    CONSTRAINT snapshot_signing_key_pkey PRIMARY KEY (key_id)
);

CREATE TABLE sql_credential (
    credential_id uuid NOT NULL,
    account_id uuid NOT NULL,
    role_name text NOT NULL,
    label text,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    key_id uuid,
    disabled_reason text,
    CONSTRAINT sql_credential_disabled_check CHECK (((disabled_reason IS NULL) OR ((disabled_reason = ANY (ARRAY['access_lost'::text, 'limits'::text])) AND (revoked_at IS NOT NULL)))),
    CONSTRAINT sql_credential_expires_check CHECK ((expires_at > created_at)),
    CONSTRAINT sql_credential_label_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100))),
    CONSTRAINT sql_credential_role_name_check CHECK ((role_name ~ '^sql_[0-9a-f]{8}$'::text)),
    CONSTRAINT sql_credential_pkey PRIMARY KEY (credential_id)
);

CREATE INDEX sql_credential_account_id_created_at_idx ON sql_credential (account_id, created_at);
CREATE UNIQUE INDEX sql_credential_role_name_key ON sql_credential (role_name);

CREATE TABLE sql_session_end (
    role_name text NOT NULL,
    pid integer NOT NULL,
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3) NOT NULL,
    reason text NOT NULL,
    CONSTRAINT sql_session_end_pkey PRIMARY KEY (role_name, pid, started_at)
);

CREATE INDEX sql_session_end_ended_at_idx ON sql_session_end (ended_at);

CREATE TABLE star_hour_total (
    fact text NOT NULL,
    hour timestamptz(3) NOT NULL,
    row_count integer NOT NULL,
    CONSTRAINT star_hour_total_count CHECK ((row_count >= 0)),
    CONSTRAINT star_hour_total_pkey PRIMARY KEY (fact, hour)
);

CREATE TABLE star_total (
    fact text NOT NULL,
    day date NOT NULL,
    row_count integer NOT NULL,
    CONSTRAINT star_total_count CHECK ((row_count >= 0)),
    CONSTRAINT star_total_pkey PRIMARY KEY (fact, day)
);

CREATE TABLE usage_day (
    account_id uuid NOT NULL,
    key_id uuid NOT NULL,
    day date NOT NULL,
    operation text NOT NULL,
    units bigint NOT NULL,
    requests bigint NOT NULL,
    CONSTRAINT usage_day_count_check CHECK (((units >= 0) AND (requests >= 0))),
    CONSTRAINT usage_day_pkey PRIMARY KEY (account_id, day, key_id, operation)
);

CREATE TABLE usage_hour (
    key_id uuid NOT NULL,
    hour timestamptz(3) NOT NULL,
    units bigint NOT NULL,
    CONSTRAINT usage_hour_units_check CHECK ((units >= 0)),
    CONSTRAINT usage_hour_pkey PRIMARY KEY (key_id, hour)
);

CREATE TABLE venue_coverage (
    asset_id integer NOT NULL,
    venue text NOT NULL,
    is_listed boolean NOT NULL,
    covered_to timestamptz(3),
    asked_at timestamptz(3) NOT NULL,
    newest_bar_at timestamptz(3),
    CONSTRAINT venue_coverage_pkey PRIMARY KEY (asset_id, venue)
);

CREATE TABLE venue_rate (
    venue text NOT NULL,
    next_at timestamptz(3) NOT NULL,
    rests_until timestamptz(3),
    rest_cause text,
    CONSTRAINT venue_rate_pkey PRIMARY KEY (venue)
);

CREATE TABLE venue_symbol (
    asset_id integer NOT NULL,
    venue text NOT NULL,
    symbol text,
    source text NOT NULL,
    CONSTRAINT venue_symbol_pkey PRIMARY KEY (asset_id, venue)
);

CREATE TABLE webhook (
    webhook_id uuid NOT NULL,
    account_id uuid NOT NULL,
    key_id uuid,
    url text NOT NULL,
    host text NOT NULL,
    asset_ids integer[],
    analysis_type analysis_type,
    change_type change_type,
    seed bytea NOT NULL,
    previous_seed bytea,
    previous_until timestamptz(3),
    state text DEFAULT 'active'::text NOT NULL,
    disabled_reason text,
    cursor_at timestamptz(3) NOT NULL,
    cursor_id bigint NOT NULL,
    not_before timestamptz(3) NOT NULL,
    failures_in_row integer DEFAULT 0 NOT NULL,
    dead_in_row integer DEFAULT 0 NOT NULL,
    failing_since timestamptz(3),
    last_success_at timestamptz(3),
    last_failure_at timestamptz(3),
    last_error text,
    created_at timestamptz(3) NOT NULL,
    event_types text[] DEFAULT ARRAY['ai_analysis.change'::text],
    CONSTRAINT webhook_disabled_check CHECK ((((state = 'disabled'::text) = (disabled_reason IS NOT NULL)) AND (disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text, 'access_lost'::text, 'over_limit'::text])))),
    CONSTRAINT webhook_event_types_check CHECK (((event_types IS NOT NULL) AND (cardinality(event_types) > 0) AND (event_types <@ ARRAY['ai_analysis.change'::text, 'corporate_action.created'::text, 'corporate_action.revised'::text]))),
    CONSTRAINT webhook_previous_check CHECK (((previous_seed IS NULL) = (previous_until IS NULL))),
    CONSTRAINT webhook_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text]))),
    CONSTRAINT webhook_url_check CHECK (((url ~* '^https?:'::text) AND (char_length(url) <= 2048))),
    CONSTRAINT webhook_pkey PRIMARY KEY (webhook_id)
);

CREATE INDEX webhook_account_id_created_at_idx ON webhook (account_id, created_at);

CREATE TABLE webhook_delivery (
    webhook_id uuid NOT NULL,
    diff_id bigint NOT NULL,
    computed_at timestamptz(3) NOT NULL,
    asset_id integer NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    term bigint,
    opened_at timestamptz(3),
    next_attempt_at timestamptz(3) NOT NULL,
    settled_at timestamptz(3),
    last_status integer,
    last_error text,
    feed text DEFAULT 'ai_analysis'::text NOT NULL,
    analysis_change_id bigint GENERATED ALWAYS AS (
CASE
    WHEN (feed = 'ai_analysis'::text) THEN diff_id
    ELSE NULL::bigint
END) STORED,
    action_change_id bigint GENERATED ALWAYS AS (
CASE
    WHEN (feed = 'corporate_action'::text) THEN diff_id
    ELSE NULL::bigint
END) STORED,
    CONSTRAINT webhook_delivery_feed_check CHECK ((feed = ANY (ARRAY['ai_analysis'::text, 'corporate_action'::text]))),
    CONSTRAINT webhook_delivery_settled_check CHECK (((settled_at IS NULL) = (state = ANY (ARRAY['pending'::text, 'open'::text])))),
    CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'open'::text, 'delivered'::text, 'dead'::text]))),
    CONSTRAINT webhook_delivery_pkey PRIMARY KEY (webhook_id, diff_id)
);

CREATE INDEX webhook_delivery_action_change_id_idx ON webhook_delivery (action_change_id) WHERE (action_change_id IS NOT NULL);
CREATE INDEX webhook_delivery_dead_idx ON webhook_delivery (webhook_id) WHERE (state = 'dead'::text);
CREATE INDEX webhook_delivery_open_idx ON webhook_delivery (webhook_id) WHERE (state = 'open'::text);
CREATE INDEX webhook_delivery_settled_idx ON webhook_delivery (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX webhook_delivery_unsettled_idx ON webhook_delivery (webhook_id, asset_id, computed_at, diff_id) WHERE (settled_at IS NULL);
CREATE INDEX webhook_delivery_webhook_id_computed_at_diff_id_idx ON webhook_delivery (webhook_id, computed_at DESC, diff_id DESC);

CREATE TABLE webhook_node (
    node uuid NOT NULL,
    name text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT webhook_node_pkey PRIMARY KEY (node)
);

CREATE TABLE webhook_shard (
    shard integer NOT NULL,
    shards integer NOT NULL,
    node uuid,
    term bigint NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT webhook_shard_pkey PRIMARY KEY (shard)
);

ALTER TABLE analysis_change ADD CONSTRAINT analysis_change_from_snapshot_id_fkey FOREIGN KEY (from_snapshot_id) REFERENCES analysis_snapshot(snapshot_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE analysis_change ADD CONSTRAINT analysis_change_to_snapshot_id_fkey FOREIGN KEY (to_snapshot_id) REFERENCES analysis_snapshot(snapshot_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE analysis_snapshot ADD CONSTRAINT analysis_snapshot_supersedes_fkey FOREIGN KEY (supersedes) REFERENCES analysis_snapshot(snapshot_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE api_key ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE asset_contract ADD CONSTRAINT asset_contract_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(asset_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE etf_holding ADD CONSTRAINT etf_holding_report_id_fkey FOREIGN KEY (report_id) REFERENCES etf_report(report_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE instrument ADD CONSTRAINT instrument_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(asset_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE instrument ADD CONSTRAINT instrument_issuer_asset_id_fkey FOREIGN KEY (issuer_asset_id) REFERENCES asset(asset_id) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE news_article ADD CONSTRAINT news_article_news_source_id_fkey FOREIGN KEY (news_source_id) REFERENCES news_source(news_source_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE newsletter_delivery ADD CONSTRAINT newsletter_delivery_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE newsletter_delivery ADD CONSTRAINT newsletter_delivery_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES newsletter_issue(issue_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE newsletter_subscription ADD CONSTRAINT newsletter_subscription_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE protocol_economics ADD CONSTRAINT protocol_economics_protocol_id_fkey FOREIGN KEY (protocol_id) REFERENCES protocol(protocol_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE protocol_tvl ADD CONSTRAINT protocol_tvl_protocol_id_fkey FOREIGN KEY (protocol_id) REFERENCES protocol(protocol_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE sql_credential ADD CONSTRAINT sql_credential_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE sql_credential ADD CONSTRAINT sql_credential_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(key_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE venue_symbol ADD CONSTRAINT venue_symbol_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(asset_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE webhook ADD CONSTRAINT webhook_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_action_change_id_fkey FOREIGN KEY (action_change_id) REFERENCES corporate_action_change(diff_id) ON DELETE CASCADE;

ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_analysis_change_id_fkey FOREIGN KEY (analysis_change_id) REFERENCES analysis_change(diff_id) ON DELETE RESTRICT;

ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(webhook_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE webhook ADD CONSTRAINT webhook_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(key_id) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TRIGGER analysis_snapshot_append_only BEFORE DELETE OR UPDATE ON analysis_snapshot FOR EACH ROW EXECUTE FUNCTION refuse_analysis_change();
CREATE TRIGGER analysis_snapshot_no_truncate BEFORE TRUNCATE ON analysis_snapshot FOR EACH STATEMENT EXECUTE FUNCTION refuse_analysis_change();
CREATE TRIGGER audit_event_no_early_delete BEFORE DELETE ON audit_event FOR EACH ROW WHEN ((old.at > (now() - '90 days'::interval))) EXECUTE FUNCTION audit_event_refuse();
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse();
CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event FOR EACH ROW EXECUTE FUNCTION audit_event_refuse();

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

COMMENT ON VIEW star_public.dim_asset IS 'Crypto assets, one row for each version of what the instrument master says of them (slowly changing dimension of type 2). Key: asset_sk.';
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

COMMENT ON VIEW star_public.dim_date IS 'Calendar days from 2009-01-03 to a year from today (UTC). Key: date_key.';
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

COMMENT ON VIEW star_public.dim_news_source IS 'Editors whose articles were read. Key: news_source_sk.';
COMMENT ON COLUMN star_public.dim_news_source."news_source_sk" IS 'Key of the editor: md5 of news_source_id.';
COMMENT ON COLUMN star_public.dim_news_source."news_source_id" IS 'SHA-256 of editor_normalized, lower-case hexadecimal.';
COMMENT ON COLUMN star_public.dim_news_source."editor" IS 'The editor as its first article writes it.';
COMMENT ON COLUMN star_public.dim_news_source."editor_normalized" IS 'The editor in lower case without accents and punctuation.';
COMMENT ON COLUMN star_public.dim_news_source."first_seen_at" IS 'Publication of its oldest article that was read.';
COMMENT ON COLUMN star_public.dim_news_source."last_seen_at" IS 'Publication of its newest article that was read. Null: not known.';
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

COMMENT ON VIEW star_public.dim_chain IS 'Blockchains of the reference. Key: chain_id. parent_chain_id refers to dim_chain.chain_id.';
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

COMMENT ON VIEW star_public.dim_event_type IS 'Kinds of events of crypto assets. Key: event_type_id.';
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

COMMENT ON VIEW star_public.dim_analysis_type IS 'Kinds of analyses of assets. Key: analysis_type_id.';
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

COMMENT ON VIEW star_public.dim_tier IS 'Rank tiers of crypto assets. Key: tier.';
COMMENT ON COLUMN star_public.dim_tier."tier" IS 'The tier, 1 to 3.';
COMMENT ON COLUMN star_public.dim_tier."tier_label" IS 'Name of the tier.';
COMMENT ON COLUMN star_public.dim_tier."min_rank" IS 'First rank by market capitalisation.';
COMMENT ON COLUMN star_public.dim_tier."max_rank" IS 'Last rank by market capitalisation.';
COMMENT ON COLUMN star_public.dim_tier."min_market_cap_usd_approx" IS 'Market capitalisation of the last rank, USD, approximately. Null: not known.';

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

COMMENT ON VIEW star_public.fact_market_snapshot IS 'Consensus price, supply and market capitalisation of a crypto asset on a UTC day that at least 3 exchanges priced. Key: asset_id, snapshot_date. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_market_snapshot."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_market_snapshot."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_market_snapshot."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_market_snapshot."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_market_snapshot."price_consensus_usd" IS 'Volume-weighted consensus price of the day, USD.';
COMMENT ON COLUMN star_public.fact_market_snapshot."supply_on_chain" IS 'Units of the asset on the day: counted by its chain, else the newest count until the day after. Null: not known.';
COMMENT ON COLUMN star_public.fact_market_snapshot."market_cap_derived_usd" IS 'Price times supply_on_chain, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_market_snapshot."tier_crypto" IS 'Rank tier of the asset today, 1 to 3. Null: not ranked.';
COMMENT ON COLUMN star_public.fact_market_snapshot."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.fact_market_snapshot."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE TRIGGER "fact_market_snapshot_insert" AFTER INSERT ON "candle"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_market_snapshot', '(r.ts at time zone ''UTC'')::date', 'r.timeframe = ''1d'' and r.known_to is null and r.vwap_usd is not null and r.exchanges_count >= 3');

CREATE TRIGGER "fact_market_snapshot_update" AFTER UPDATE ON "candle"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_market_snapshot', '(r.ts at time zone ''UTC'')::date', 'r.timeframe = ''1d'' and r.known_to is null and r.vwap_usd is not null and r.exchanges_count >= 3');

CREATE TRIGGER "fact_market_snapshot_delete" AFTER DELETE ON "candle"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_market_snapshot', '(r.ts at time zone ''UTC'')::date', 'r.timeframe = ''1d'' and r.known_to is null and r.vwap_usd is not null and r.exchanges_count >= 3');

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

COMMENT ON VIEW star_public.fact_vwap_consensus IS 'Consensus price of a crypto asset in a window of an hour or a day. Key: asset_id, snapshot_ts, timeframe. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."snapshot_ts" IS 'Start of the window, UTC.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."snapshot_date" IS 'UTC day on which the window starts.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."timeframe" IS 'Length of the window: 1h or 1d.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."vwap_usd" IS 'Volume-weighted consensus price of the window, USD.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."max_source_weight_pct" IS 'Largest share of one exchange in the volume, a fraction of at most 0.5. Null: not known.';
COMMENT ON COLUMN star_public.fact_vwap_consensus."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE TRIGGER "fact_vwap_consensus_insert" AFTER INSERT ON "candle"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_vwap_consensus', '(r.ts at time zone ''UTC'')::date', 'r.timeframe in (''1h'', ''1d'') and r.known_to is null and r.vwap_usd is not null', 'date_trunc(''hour'', r.ts, ''UTC'')');

CREATE TRIGGER "fact_vwap_consensus_update" AFTER UPDATE ON "candle"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_vwap_consensus', '(r.ts at time zone ''UTC'')::date', 'r.timeframe in (''1h'', ''1d'') and r.known_to is null and r.vwap_usd is not null', 'date_trunc(''hour'', r.ts, ''UTC'')');

CREATE TRIGGER "fact_vwap_consensus_delete" AFTER DELETE ON "candle"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_vwap_consensus', '(r.ts at time zone ''UTC'')::date', 'r.timeframe in (''1h'', ''1d'') and r.known_to is null and r.vwap_usd is not null', 'date_trunc(''hour'', r.ts, ''UTC'')');

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

COMMENT ON VIEW star_public.fact_onchain_core IS 'Use of the chain of a crypto asset on a UTC day. Key: asset_id, snapshot_date. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_onchain_core."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_onchain_core."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_onchain_core."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_onchain_core."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_onchain_core."active_addresses" IS 'Distinct addresses that sent or received. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."fees_total_usd" IS 'Fees that users paid, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."tx_count" IS 'Transactions. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."avg_fee_usd" IS 'fees_total_usd / tx_count, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_core."source_rpc" IS 'Provider that read the chain; seed for synthetic figures. Null: not known.';

CREATE TRIGGER "fact_onchain_core_insert" AFTER INSERT ON "asset_onchain"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_core', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_core_update" AFTER UPDATE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_core', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_core_delete" AFTER DELETE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_core', 'r.snapshot_date', 'r.known_to is null');

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

COMMENT ON VIEW star_public.fact_onchain_advanced IS 'Valuation of a crypto asset by its chain on a UTC day. Key: asset_id, snapshot_date. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."realized_cap_usd" IS 'Every unit at the price of its last move, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."mvrv_ratio" IS 'Market capitalisation over realized capitalisation. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."nupl" IS 'Net unrealized profit or loss, 1 - 1/mvrv_ratio: a fraction of at most 1. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."sopr" IS 'Spent output profit ratio. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."realized_price_usd" IS 'realized_cap_usd over the supply, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."hodl_waves" IS 'Share of the supply by the time since it last moved: band of ages (1y-2y) to fraction. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."circulating_supply_btc" IS 'Units issued, BTC, of bitcoin alone. Null: not known.';
COMMENT ON COLUMN star_public.fact_onchain_advanced."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE TRIGGER "fact_onchain_advanced_insert" AFTER INSERT ON "asset_onchain"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_advanced', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_advanced_update" AFTER UPDATE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_advanced', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_onchain_advanced_delete" AFTER DELETE ON "asset_onchain"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_onchain_advanced', 'r.snapshot_date', 'r.known_to is null');

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

COMMENT ON VIEW star_public.fact_asset_fundamentals IS 'Valuation of a crypto asset by the fees of its protocols and chains on a UTC day. Key: asset_id, snapshot_date. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."ps_ratio" IS 'Market capitalisation over fees_annualized. Null: not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."pr_ratio" IS 'Market capitalisation over revenue_annualized. Null: not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."fees_30d_usd" IS 'What users paid in the 30 days before, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."revenue_30d_usd" IS 'What the protocols kept of it, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."fees_annualized" IS 'fees_30d_usd times 12, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."revenue_annualized" IS 'revenue_30d_usd times 12, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_asset_fundamentals."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE TRIGGER "fact_asset_fundamentals_insert" AFTER INSERT ON "asset_fundamentals"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_asset_fundamentals', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_asset_fundamentals_update" AFTER UPDATE ON "asset_fundamentals"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_asset_fundamentals', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_asset_fundamentals_delete" AFTER DELETE ON "asset_fundamentals"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_asset_fundamentals', 'r.snapshot_date', 'r.known_to is null');

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

COMMENT ON VIEW star_public.fact_protocol_tvl IS 'Value locked in a protocol on a UTC day. Key: protocol_id, snapshot_date. date_sk refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."protocol_id" IS 'Protocol or chain, lower-case name, e.g. uniswap-v3.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."snapshot_date" IS 'UTC day on which it was read.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."tvl_usd" IS 'Value locked, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."tvl_change_1d_pct" IS 'Its change over a day, per cent. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."tvl_change_7d_pct" IS 'Its change over 7 days, per cent. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_tvl."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE TRIGGER "fact_protocol_tvl_insert" AFTER INSERT ON "protocol_tvl"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_protocol_tvl', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_protocol_tvl_update" AFTER UPDATE ON "protocol_tvl"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_protocol_tvl', 'r.snapshot_date', 'r.known_to is null');

CREATE TRIGGER "fact_protocol_tvl_delete" AFTER DELETE ON "protocol_tvl"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_add('fact_protocol_tvl', 'r.snapshot_date', 'r.known_to is null');

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

COMMENT ON VIEW star_public.fact_protocol_economics IS 'Fees and revenue of a protocol over the time before the UTC day on which they were read. Key: protocol_id, snapshot_date. date_sk refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_protocol_economics."protocol_id" IS 'Protocol or chain, lower-case name, e.g. uniswap-v3.';
COMMENT ON COLUMN star_public.fact_protocol_economics."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_protocol_economics."snapshot_date" IS 'UTC day on which they were read.';
COMMENT ON COLUMN star_public.fact_protocol_economics."fees_24h_usd" IS 'What users paid in 24 hours, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."revenue_24h_usd" IS 'What the protocol kept of it, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."fees_7d_usd" IS 'What users paid in 7 days, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."revenue_7d_usd" IS 'What the protocol kept of it, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."fees_30d_usd" IS 'What users paid in 30 days, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."revenue_30d_usd" IS 'What the protocol kept of it, USD. Null: not known.';
COMMENT ON COLUMN star_public.fact_protocol_economics."category" IS 'Category of the protocol, e.g. Dexs. Null where the provider does not say.';
COMMENT ON COLUMN star_public.fact_protocol_economics."chains" IS 'Chains that it runs on, as the provider names them. Null where it does not say.';

CREATE TRIGGER "fact_protocol_economics_insert" AFTER INSERT ON "protocol_economics"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_protocol_economics', 'r.snapshot_date', 'snapshot_date');

CREATE TRIGGER "fact_protocol_economics_update" AFTER UPDATE ON "protocol_economics"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_protocol_economics', 'r.snapshot_date', 'snapshot_date');

CREATE TRIGGER "fact_protocol_economics_delete" AFTER DELETE ON "protocol_economics"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION star_recount('fact_protocol_economics', 'r.snapshot_date', 'snapshot_date');

CREATE VIEW star_public.fact_news_mention AS
  select
    (md5(m.article_hk || '|' || m.asset_id::text))::text as "news_mention_sk",
    (n.article_hk)::text as "article_hk",
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = m.asset_id and known.is_current))::text as "asset_sk",
    (md5(n.news_source_id))::text as "news_source_sk",
    (to_char((n.published_at at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_sk",
    n.published_at as "published_at",
    (m.asset_id)::int as "asset_id"
  from news_article as n
  join news_mention as m on m.article_hk = n.article_hk and m.known_to is null and not m.is_withdrawn
  where n.known_to is null and (select master.asset_class from asset as master where master.asset_id = m.asset_id) = 'crypto';

COMMENT ON VIEW star_public.fact_news_mention IS 'A crypto asset that the headline of an article names. Key: news_mention_sk. asset_sk refers to dim_asset.asset_sk. news_source_sk refers to dim_news_source.news_source_sk. date_sk refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_news_mention."news_mention_sk" IS 'Key of the mention: md5 of the article and the asset.';
COMMENT ON COLUMN star_public.fact_news_mention."article_hk" IS 'Key of the article: SHA-256 of its normalised link, lower-case hexadecimal.';
COMMENT ON COLUMN star_public.fact_news_mention."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_news_mention."news_source_sk" IS 'Key of the editor in dim_news_source. Null: not known.';
COMMENT ON COLUMN star_public.fact_news_mention."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_news_mention."published_at" IS 'When the article was published.';
COMMENT ON COLUMN star_public.fact_news_mention."asset_id" IS 'Integer key of the asset, the same for all its versions.';

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
    (s.methodology_version)::text as "methodology_version",
    (s.asset_id)::int as "asset_id"
  from analysis_snapshot as s
  where s.source = (select d.source from dataset_state as d where d.dataset = 'analysis')
    and not exists (select 1 from analysis_snapshot as n where n.supersedes = s.snapshot_id)
    and not exists (
      select 1 from analysis_snapshot as l
      where l.asset_id = s.asset_id and l.analysis_type = s.analysis_type and l.source = s.source
        and (l.generated_at at time zone 'UTC')::date = (s.generated_at at time zone 'UTC')::date
        and (l.generated_at, l.sequence) > (s.generated_at, s.sequence) and not exists (select 1 from analysis_snapshot as n where n.supersedes = l.snapshot_id))
    and (select master.asset_class from asset as master where master.asset_id = s.asset_id) = 'crypto';

COMMENT ON VIEW star_public.fact_ai_analysis IS 'The last analysis of a kind of a crypto asset on a UTC day; none is a recommendation. Key: ai_analysis_sk. asset_sk refers to dim_asset.asset_sk. analysis_type_id refers to dim_analysis_type.analysis_type_id. date_sk refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_ai_analysis."ai_analysis_sk" IS 'Key of the row: md5 of the asset, the kind and the day.';
COMMENT ON COLUMN star_public.fact_ai_analysis."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_ai_analysis."analysis_type_id" IS 'Kind of the analysis in dim_analysis_type.';
COMMENT ON COLUMN star_public.fact_ai_analysis."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_ai_analysis."generated_date" IS 'UTC day on which it was generated.';
COMMENT ON COLUMN star_public.fact_ai_analysis."model_id" IS 'Model that made it.';
COMMENT ON COLUMN star_public.fact_ai_analysis."prompt_version" IS 'Version of the prompt. Null for a model without one.';
COMMENT ON COLUMN star_public.fact_ai_analysis."content_json" IS 'What the analysis says: summary, score and signals; never a verdict, a fair value or a valuation. Null where nothing is stored.';
COMMENT ON COLUMN star_public.fact_ai_analysis."methodology_version" IS 'Version of the method. Null: not known.';
COMMENT ON COLUMN star_public.fact_ai_analysis."asset_id" IS 'Integer key of the asset, the same for all its versions.';

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
    (e.reported_by)::text as "source",
    (m.asset_id)::int as "asset_id"
  from asset_event as e
  join asset_event_asset as m on m.event_hk = e.event_hk and m.known_to is null and not m.is_withdrawn
  where e.known_to is null and not e.is_withdrawn and (select master.asset_class from asset as master where master.asset_id = m.asset_id) = 'crypto';

COMMENT ON VIEW star_public.fact_event IS 'A dated event and a crypto asset that it is about. Key: event_fact_sk. asset_sk refers to dim_asset.asset_sk. event_type_id refers to dim_event_type.event_type_id. date_sk refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_event."event_fact_sk" IS 'Key of the row: md5 of the event and the asset.';
COMMENT ON COLUMN star_public.fact_event."event_hk" IS 'Key of the event, SHA-256 in lower-case hexadecimal; the same for all its assets.';
COMMENT ON COLUMN star_public.fact_event."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_event."event_type_id" IS 'Kind of the event in dim_event_type. Null: not known.';
COMMENT ON COLUMN star_public.fact_event."date_sk" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_event."event_date" IS 'UTC day of the event, which may lie ahead. Null: not known.';
COMMENT ON COLUMN star_public.fact_event."event_title" IS 'The event in a line. Null where it has none.';
COMMENT ON COLUMN star_public.fact_event."event_description" IS 'The event in more words. Null where it has none.';
COMMENT ON COLUMN star_public.fact_event."event_url" IS 'Where it is reported. Null where that is not known.';
COMMENT ON COLUMN star_public.fact_event."source" IS 'Who reported it. Null where that is not known.';
COMMENT ON COLUMN star_public.fact_event."asset_id" IS 'Integer key of the asset, the same for all its versions.';

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

COMMENT ON VIEW star_public.sat_asset_metadata_public IS 'What the instrument master says of a crypto asset today. Key: asset_sk. asset_sk refers to dim_asset.asset_sk.';
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

COMMENT ON VIEW star_public.sat_asset_news_public IS 'Headlines of articles. Key: article_hk. news_source_sk refers to dim_news_source.news_source_sk.';
COMMENT ON COLUMN star_public.sat_asset_news_public."article_hk" IS 'Key of the article: SHA-256 of its normalised link, lower-case hexadecimal.';
COMMENT ON COLUMN star_public.sat_asset_news_public."title" IS 'The headline.';
COMMENT ON COLUMN star_public.sat_asset_news_public."url" IS 'Address of the article.';
COMMENT ON COLUMN star_public.sat_asset_news_public."news_source_sk" IS 'Key of the editor in dim_news_source. Null: not known.';
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

COMMENT ON VIEW star_public.sat_asset_market_derived IS 'What is derived from the market of a crypto asset on a UTC day. Key: asset_sk, snapshot_date. asset_sk refers to dim_asset.asset_sk.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."snapshot_date" IS 'UTC day of the figures.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."price_consensus_usd" IS 'Volume-weighted consensus price of the day, USD.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."supply_on_chain" IS 'Units of the asset on the day: counted by its chain, else the newest count until the day after. Null: not known.';
COMMENT ON COLUMN star_public.sat_asset_market_derived."market_cap_derived_usd" IS 'Price times supply_on_chain, USD. Null: not known.';
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

COMMENT ON VIEW star_public.sat_protocol_tvl_self IS 'Value locked in a protocol on a UTC day, with its name. Key: protocol_id, snapshot_date.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."protocol_id" IS 'Protocol or chain, lower-case name, e.g. uniswap-v3.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."snapshot_date" IS 'UTC day on which it was read.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."protocol_name" IS 'Name of the protocol. Null: not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."tvl_usd" IS 'Value locked, USD. Null: not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."tvl_change_1d_pct" IS 'Its change over a day, per cent. Null: not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."tvl_change_7d_pct" IS 'Its change over 7 days, per cent. Null: not known.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."methodology_version" IS 'Version of the rules by which the figures are derived.';
COMMENT ON COLUMN star_public.sat_protocol_tvl_self."load_ts" IS 'When the row became known to the gateway.';

CREATE VIEW star_public.fact_vwap_hourly AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = c.asset_id and known.is_current))::text as "asset_sk",
    (c.asset_id)::int as "asset_id",
    c.ts as "snapshot_ts",
    ((c.ts at time zone 'UTC')::date)::date as "snapshot_date",
    (to_char((c.ts at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(c.vwap_usd))::numeric as "vwap_usd",
    (c.exchanges_count)::smallint as "exchanges_count",
    (trim_scale(c.max_source_weight))::numeric as "max_source_weight_pct",
    (c.methodology_version)::text as "methodology_version"
  from candle as c
  where c.timeframe = '1h' and c.known_to is null and c.vwap_usd is not null;

COMMENT ON VIEW star_public.fact_vwap_hourly IS 'Consensus price of a crypto asset in a window of an hour. Key: asset_id, snapshot_ts. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."snapshot_ts" IS 'Start of the window, UTC.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."snapshot_date" IS 'UTC day on which the window starts.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."vwap_usd" IS 'Volume-weighted consensus price of the window, USD.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."max_source_weight_pct" IS 'Largest share of one exchange in the volume, a fraction of at most 0.5. Null: not known.';
COMMENT ON COLUMN star_public.fact_vwap_hourly."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_vwap_daily AS
  select
    ((select known.asset_sk from star_public.dim_asset as known where known.asset_id = c.asset_id and known.is_current))::text as "asset_sk",
    (c.asset_id)::int as "asset_id",
    c.ts as "snapshot_ts",
    ((c.ts at time zone 'UTC')::date)::date as "snapshot_date",
    (to_char((c.ts at time zone 'UTC')::date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(c.vwap_usd))::numeric as "vwap_usd",
    (c.exchanges_count)::smallint as "exchanges_count",
    (trim_scale(c.max_source_weight))::numeric as "max_source_weight_pct",
    (c.methodology_version)::text as "methodology_version"
  from candle as c
  where c.timeframe = '1d' and c.known_to is null and c.vwap_usd is not null;

COMMENT ON VIEW star_public.fact_vwap_daily IS 'Consensus price of a crypto asset in a window of a day. Key: asset_id, snapshot_ts. asset_sk refers to dim_asset.asset_sk. date_key refers to dim_date.date_key.';
COMMENT ON COLUMN star_public.fact_vwap_daily."asset_sk" IS 'Key of the current version of the asset in dim_asset.';
COMMENT ON COLUMN star_public.fact_vwap_daily."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_vwap_daily."snapshot_ts" IS 'Start of the window, UTC.';
COMMENT ON COLUMN star_public.fact_vwap_daily."snapshot_date" IS 'UTC day on which the window starts.';
COMMENT ON COLUMN star_public.fact_vwap_daily."date_key" IS 'The day as YYYYMMDD: its key in dim_date.';
COMMENT ON COLUMN star_public.fact_vwap_daily."vwap_usd" IS 'Volume-weighted consensus price of the window, USD.';
COMMENT ON COLUMN star_public.fact_vwap_daily."exchanges_count" IS 'Exchanges behind the price, at least 3.';
COMMENT ON COLUMN star_public.fact_vwap_daily."max_source_weight_pct" IS 'Largest share of one exchange in the volume, a fraction of at most 0.5. Null: not known.';
COMMENT ON COLUMN star_public.fact_vwap_daily."methodology_version" IS 'Version of the rules by which the figures are derived.';

CREATE VIEW star_public.fact_euro_rate AS
  select
    (r.quote)::text as "quote",
    (r.date)::date as "rate_date",
    (to_char(r.date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(r.rate))::numeric as "rate",
    (r.source)::text as "source"
  from forex_rate as r
  where r.known_to is null;

COMMENT ON VIEW star_public.fact_euro_rate IS 'Euro reference rate of a currency on a publication day, as it is known now. Key: quote, rate_date.';
COMMENT ON COLUMN star_public.fact_euro_rate."quote" IS 'Currency (ISO 4217).';
COMMENT ON COLUMN star_public.fact_euro_rate."rate_date" IS 'Day of the publication.';
COMMENT ON COLUMN star_public.fact_euro_rate."date_key" IS 'The day as YYYYMMDD: its key in dim_date, which begins on 2009-01-03.';
COMMENT ON COLUMN star_public.fact_euro_rate."rate" IS 'Units of the currency per 1 EUR.';
COMMENT ON COLUMN star_public.fact_euro_rate."source" IS 'Provider of the row. seed marks synthetic data.';

CREATE VIEW star_public.fact_macro_observation AS
  select
    (s.provider)::text as "provider",
    (s.dataset)::text as "dataset",
    (s.series_key)::text as "series_key",
    (s.country)::text as "country",
    (s.frequency)::text as "frequency",
    (s.unit)::text as "unit",
    (o.period_start)::date as "period_start",
    (to_char(o.period_start, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(o.value))::numeric as "value",
    (s.source)::text as "source"
  from macro_observation as o
  join macro_series as s on s.series_id = o.series_id
  where o.known_to is null and not o.is_withdrawn;

COMMENT ON VIEW star_public.fact_macro_observation IS 'Value of a macroeconomic series in a period, as it is known now. Key: provider, dataset, series_key, period_start.';
COMMENT ON COLUMN star_public.fact_macro_observation."provider" IS 'Publisher of the series, such as bis.';
COMMENT ON COLUMN star_public.fact_macro_observation."dataset" IS 'Dataset of the publisher, such as WS_TC.';
COMMENT ON COLUMN star_public.fact_macro_observation."series_key" IS 'Key of the series in its dataset.';
COMMENT ON COLUMN star_public.fact_macro_observation."country" IS 'Country or group of countries, by the code of the publisher. Null if the series has none.';
COMMENT ON COLUMN star_public.fact_macro_observation."frequency" IS 'Length of a period, such as quarterly.';
COMMENT ON COLUMN star_public.fact_macro_observation."unit" IS 'Unit of the value. Null if not stated.';
COMMENT ON COLUMN star_public.fact_macro_observation."period_start" IS 'First day of the period.';
COMMENT ON COLUMN star_public.fact_macro_observation."date_key" IS 'The day as YYYYMMDD: its key in dim_date, which begins on 2009-01-03.';
COMMENT ON COLUMN star_public.fact_macro_observation."value" IS 'Value in `unit`. Null if the publisher lists the period without a value.';
COMMENT ON COLUMN star_public.fact_macro_observation."source" IS 'Provider of the row. seed marks synthetic data.';

CREATE VIEW star_public.fact_daily_close AS
  select
    (i.asset_id)::int as "asset_id",
    (i.ticker)::text as "ticker",
    (i.mic)::text as "mic",
    (p.date)::date as "price_date",
    (to_char(p.date, 'YYYYMMDD')::int)::int as "date_key",
    (trim_scale(p.close))::numeric as "close",
    (p.volume)::bigint as "volume",
    (p.currency)::text as "currency",
    (p.source)::text as "source"
  from daily_price as p
  join instrument as i on i.instrument_id = p.instrument_id
  where p.known_to is null and not exists (
    select 1 from daily_price as better where better.instrument_id = p.instrument_id and better.date = p.date
      and coalesce(array_position(array['operator', 'tiingo', 'alpaca'], better.source), 4) < coalesce(array_position(array['operator', 'tiingo', 'alpaca'], p.source), 4) and better.known_to is null);

COMMENT ON VIEW star_public.fact_daily_close IS 'Closing price of a stock or ETF on a trading day, as traded and as it is known now. Key: asset_id, ticker, mic, price_date.';
COMMENT ON COLUMN star_public.fact_daily_close."asset_id" IS 'Integer key of the asset, the same for all its versions.';
COMMENT ON COLUMN star_public.fact_daily_close."ticker" IS 'Ticker of the listing.';
COMMENT ON COLUMN star_public.fact_daily_close."mic" IS 'Market of the listing (ISO 10383). Null if it is not known.';
COMMENT ON COLUMN star_public.fact_daily_close."price_date" IS 'Trading day.';
COMMENT ON COLUMN star_public.fact_daily_close."date_key" IS 'The day as YYYYMMDD: its key in dim_date, which begins on 2009-01-03.';
COMMENT ON COLUMN star_public.fact_daily_close."close" IS 'Closing price of one share in `currency`, not adjusted for later splits.';
COMMENT ON COLUMN star_public.fact_daily_close."volume" IS 'Shares traded on the day. Null if the source does not state it.';
COMMENT ON COLUMN star_public.fact_daily_close."currency" IS 'Currency of the price (ISO 4217).';
COMMENT ON COLUMN star_public.fact_daily_close."source" IS 'Provider of the row. seed marks synthetic data.';

CREATE VIEW star_public.fact_company_period AS
  select
    (p.cik)::text as "cik",
    (coalesce(l.tickers, '{}'))::text[] as "tickers",
    (p.period)::text as "period",
    (p.period_start)::date as "period_start",
    (p.period_end)::date as "period_end",
    (to_char(p.period_end, 'YYYYMMDD')::int)::int as "date_key",
    (p.is_latest)::boolean as "is_latest",
    (p.form)::text as "filing_type",
    (p.accession)::text as "accession_number",
    (p.filed)::date as "filed_date",
    (trim_scale(p.revenue_usd))::numeric as "revenue_usd",
    (trim_scale(p.net_income_usd))::numeric as "net_income_usd",
    (trim_scale(p.ebitda_usd))::numeric as "ebitda_usd",
    (trim_scale(p.interest_income_usd))::numeric as "interest_income_usd",
    (trim_scale(p.eps_basic))::numeric as "eps_basic",
    (trim_scale(p.eps_diluted))::numeric as "eps_diluted",
    (trim_scale(p.total_debt_usd))::numeric as "total_debt_usd",
    (trim_scale(p.cash_and_equivalents_usd))::numeric as "cash_and_equivalents_usd",
    (trim_scale(p.short_term_investments_usd))::numeric as "short_term_investments_usd",
    (trim_scale(p.total_assets_usd))::numeric as "total_assets_usd",
    (trim_scale(p.accounts_receivable_usd))::numeric as "accounts_receivable_usd",
    (trim_scale(p.shares_outstanding))::numeric as "shares_outstanding",
    (trim_scale(p.public_float_usd))::numeric as "public_float_usd",
    (p.methodology_version)::text as "methodology_version",
    (p.source)::text as "source"
  from company_period as p
  left join (
    select i.cik, array_agg(distinct i.ticker order by i.ticker) as tickers from instrument as i
    join asset as a on a.asset_id = i.asset_id and a.asset_class = 'stock' where i.cik is not null group by i.cik
  ) as l on l.cik = p.cik;

COMMENT ON VIEW star_public.fact_company_period IS 'Figures of a company in a fiscal year, a quarter or twelve months, from the latest filing that states each, or computed from such amounts. Key: cik, period, period_end.';
COMMENT ON COLUMN star_public.fact_company_period."cik" IS 'SEC central index key of the company, 10 digits.';
COMMENT ON COLUMN star_public.fact_company_period."tickers" IS 'Tickers of the listings of its stocks. Empty if the gateway lists none.';
COMMENT ON COLUMN star_public.fact_company_period."period" IS 'Kind of the period: year, quarter or ttm (the twelve months that end with a quarter).';
COMMENT ON COLUMN star_public.fact_company_period."period_start" IS 'First day of the period. Null if no amount of the period is known.';
COMMENT ON COLUMN star_public.fact_company_period."period_end" IS 'Last day of the period.';
COMMENT ON COLUMN star_public.fact_company_period."date_key" IS 'The day as YYYYMMDD: its key in dim_date, which begins on 2009-01-03.';
COMMENT ON COLUMN star_public.fact_company_period."is_latest" IS 'Whether no later period of this kind has a report.';
COMMENT ON COLUMN star_public.fact_company_period."filing_type" IS 'Type of the latest report for the period, e.g. 10-K.';
COMMENT ON COLUMN star_public.fact_company_period."accession_number" IS 'Accession number of that report.';
COMMENT ON COLUMN star_public.fact_company_period."filed_date" IS 'Day on which that report was filed.';
COMMENT ON COLUMN star_public.fact_company_period."revenue_usd" IS 'Revenue of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."net_income_usd" IS 'Net income of the period, USD. Negative for a loss. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."ebitda_usd" IS 'Operating income plus depreciation and amortisation of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."interest_income_usd" IS 'Interest income of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."eps_basic" IS 'Basic earnings per share of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."eps_diluted" IS 'Diluted earnings per share of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."total_debt_usd" IS 'Debt that bears interest at the end of the period, including what is due within a year and finance leases, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."cash_and_equivalents_usd" IS 'Cash and cash equivalents at the end of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."short_term_investments_usd" IS 'Short-term investments and marketable securities at the end of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."total_assets_usd" IS 'Total assets at the end of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."accounts_receivable_usd" IS 'Current receivables at the end of the period, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."shares_outstanding" IS 'Shares outstanding, from the cover page of the filing. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."public_float_usd" IS 'Public float (market value of the shares held by outsiders) at the end of the second fiscal quarter, from the cover page of the filing, USD. Null if the filings do not state it completely.';
COMMENT ON COLUMN star_public.fact_company_period."methodology_version" IS 'Version of the rules by which the figures are derived.';
COMMENT ON COLUMN star_public.fact_company_period."source" IS 'Provider of the row. seed marks synthetic data.';
