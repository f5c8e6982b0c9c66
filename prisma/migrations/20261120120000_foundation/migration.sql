-- CreateEnum
CREATE TYPE "asset_class" AS ENUM ('crypto', 'stock', 'etf', 'commodity');

-- CreateTable
CREATE TABLE "account" (
    "account_id" UUID NOT NULL,
    "email" TEXT,
    "password_hash" TEXT,
    "tier" TEXT NOT NULL,
    "grants" TEXT[],
    "quota_month" INTEGER,
    "quota_hour" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "key_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "digest" BYTEA NOT NULL,
    "key_prefix" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "scopes" TEXT[],
    "is_narrowed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "idempotency_key" TEXT,
    "request_sha256" TEXT,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("key_id")
);

-- CreateTable
CREATE TABLE "usage_day" (
    "account_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "operation" TEXT NOT NULL,
    "units" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("account_id","day","key_id","operation")
);

-- CreateTable
CREATE TABLE "audit_event" (
    "event_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "action" TEXT NOT NULL,
    "account_id" UUID,
    "key_id" UUID,
    "origin" TEXT,
    "actor" TEXT NOT NULL,
    "details" JSONB,

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "rate_counter" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_counter_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "dataset_state" (
    "dataset" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "source" TEXT NOT NULL,
    "is_dev_dataset" BOOLEAN NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dataset_state_pkey" PRIMARY KEY ("dataset")
);

-- CreateTable
CREATE TABLE "ingest_run" (
    "run_id" UUID NOT NULL,
    "feed" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "status" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "body_sha256" TEXT,
    "body_bytes" BIGINT,
    "added" INTEGER NOT NULL DEFAULT 0,
    "revised" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "rejections" JSONB,
    "error" TEXT,

    CONSTRAINT "ingest_run_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "forex_rate" (
    "quote" CHAR(3) NOT NULL,
    "date" DATE NOT NULL,
    "rate" DECIMAL(20,8) NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "forex_rate_pkey" PRIMARY KEY ("quote","date","known_from")
);

-- CreateTable
CREATE TABLE "asset" (
    "asset_id" INTEGER NOT NULL,
    "slug" TEXT NOT NULL,
    "ticker" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "asset_class" "asset_class" NOT NULL,
    "tier" INTEGER,
    "last_updated" TIMESTAMPTZ(3) NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "asset_pkey" PRIMARY KEY ("asset_id")
);

-- CreateTable
CREATE TABLE "instrument" (
    "instrument_id" INTEGER NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "ticker" TEXT NOT NULL,
    "mic" TEXT,
    "isin" TEXT,
    "figi" TEXT,
    "currency" TEXT NOT NULL,
    "sector_gics" TEXT,
    "cik" TEXT,
    "is_primary" BOOLEAN NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "instrument_pkey" PRIMARY KEY ("instrument_id")
);

-- CreateTable
CREATE TABLE "identifier_answer" (
    "ticker" TEXT NOT NULL,
    "answer" JSONB,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "identifier_answer_pkey" PRIMARY KEY ("ticker")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_email_key" ON "account"("email");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_digest_key" ON "api_key"("digest");

-- CreateIndex
CREATE INDEX "api_key_account_id_created_at_idx" ON "api_key"("account_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_account_id_idempotency_key_key" ON "api_key"("account_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "audit_event_account_id_at_idx" ON "audit_event"("account_id", "at");

-- CreateIndex
CREATE INDEX "audit_event_at_idx" ON "audit_event"("at");

-- CreateIndex
CREATE INDEX "rate_counter_expire_idx" ON "rate_counter"("expire");

-- CreateIndex
CREATE INDEX "ingest_run_feed_started_at_idx" ON "ingest_run"("feed", "started_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "asset_slug_key" ON "asset"("slug");

-- CreateIndex
CREATE INDEX "asset_ticker_idx" ON "asset"("ticker");

-- CreateIndex
CREATE INDEX "asset_asset_class_asset_id_idx" ON "asset"("asset_class", "asset_id");

-- CreateIndex
CREATE INDEX "asset_tier_asset_id_idx" ON "asset"("tier", "asset_id");

-- CreateIndex
CREATE INDEX "instrument_asset_id_idx" ON "instrument"("asset_id");

-- CreateIndex
CREATE INDEX "instrument_mic_idx" ON "instrument"("mic");

-- CreateIndex
CREATE UNIQUE INDEX "instrument_ticker_mic_key" ON "instrument"("ticker", "mic");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("account_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instrument" ADD CONSTRAINT "instrument_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("asset_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what the Prisma schema cannot say.

-- At most one rate stands per currency and day; reading a series needs the index alone.
CREATE UNIQUE INDEX "forex_rate_standing_key" ON "forex_rate"("quote", "date") INCLUDE ("rate") WHERE "known_to" IS NULL;

ALTER TABLE "forex_rate"
    ADD CONSTRAINT "forex_rate_quote_check" CHECK ("quote" ~ '^[A-Z]{3}$'),
    ADD CONSTRAINT "forex_rate_rate_check" CHECK ("rate" > 0),
    ADD CONSTRAINT "forex_rate_known_check" CHECK ("known_to" > "known_from");

ALTER TABLE "account"
    ADD CONSTRAINT "account_email_check" CHECK ("email" = lower("email")),
    ADD CONSTRAINT "account_tier_check" CHECK ("tier" IN ('free', 'starter', 'growth', 'pro', 'enterprise')),
    ADD CONSTRAINT "account_quota_check" CHECK ("quota_month" >= 0 AND "quota_hour" >= 0);

ALTER TABLE "api_key"
    ADD CONSTRAINT "api_key_digest_check" CHECK (octet_length("digest") = 32);

ALTER TABLE "usage_day"
    ADD CONSTRAINT "usage_day_count_check" CHECK ("units" >= 0 AND "requests" >= 0);

ALTER TABLE "dataset_state"
    ADD CONSTRAINT "dataset_state_version_check" CHECK ("version" >= 0);

ALTER TABLE "ingest_run"
    ADD CONSTRAINT "ingest_run_status_check" CHECK ("status" IN ('running', 'succeeded', 'failed')),
    ADD CONSTRAINT "ingest_run_finished_check" CHECK (("status" = 'running') = ("finished_at" IS NULL)),
    ADD CONSTRAINT "ingest_run_count_check"
        CHECK ("added" >= 0 AND "revised" >= 0 AND "unchanged" >= 0 AND "rejected" >= 0);

ALTER TABLE "asset"
    ADD CONSTRAINT "asset_slug_check" CHECK ("slug" = lower("slug")),
    ADD CONSTRAINT "asset_ticker_check" CHECK ("ticker" = upper("ticker")),
    ADD CONSTRAINT "asset_tier_check" CHECK ("tier" BETWEEN 1 AND 3),
    ADD CONSTRAINT "asset_tier_class_check" CHECK ("tier" IS NULL OR "asset_class" = 'crypto');

ALTER TABLE "instrument"
    ADD CONSTRAINT "instrument_ticker_check" CHECK ("ticker" = upper("ticker")),
    ADD CONSTRAINT "instrument_mic_check" CHECK ("mic" ~ '^[A-Z0-9]{4}$'),
    ADD CONSTRAINT "instrument_isin_check" CHECK ("isin" ~ '^[A-Z]{2}[A-Z0-9]{9}[0-9]$'),
    ADD CONSTRAINT "instrument_figi_check" CHECK ("figi" ~ '^[A-Z0-9]{11}[0-9]$'),
    ADD CONSTRAINT "instrument_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$'),
    ADD CONSTRAINT "instrument_cik_check" CHECK ("cik" ~ '^[0-9]{10}$');

ALTER TABLE "identifier_answer"
    ADD CONSTRAINT "identifier_answer_expiry_check" CHECK ("expires_at" > "answered_at");

-- The audit log is append-only: no row changes, and none goes before its 90 days are over.
CREATE FUNCTION "audit_event_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_event is append-only: % refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_event_no_update" BEFORE UPDATE ON "audit_event"
    FOR EACH ROW EXECUTE FUNCTION "audit_event_refuse"();

CREATE TRIGGER "audit_event_no_early_delete" BEFORE DELETE ON "audit_event"
    FOR EACH ROW WHEN (OLD."at" > now() - INTERVAL '90 days') EXECUTE FUNCTION "audit_event_refuse"();

CREATE TRIGGER "audit_event_no_truncate" BEFORE TRUNCATE ON "audit_event"
    FOR EACH STATEMENT EXECUTE FUNCTION "audit_event_refuse"();
