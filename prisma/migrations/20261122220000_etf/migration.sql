-- Holdings of ETFs: reports and their rows.
-- CreateTable
CREATE TABLE "etf_report" (
    "report_id" BIGSERIAL NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "as_of" DATE NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "accession" TEXT,
    "is_amendment" BOOLEAN NOT NULL,
    "net_assets_usd" DECIMAL(60,20),
    "shares_outstanding" DECIMAL(60,20),
    "nav" DECIMAL(60,20),
    "nav_currency" TEXT,
    "is_nav_computed" BOOLEAN NOT NULL,
    "weight_sum" DECIMAL(60,20) NOT NULL,
    "uninvested_cash" DECIMAL(60,20),
    "holdings_count" INTEGER NOT NULL,
    "content_hash" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "etf_report_pkey" PRIMARY KEY ("report_id")
);

-- CreateTable
CREATE TABLE "etf_holding" (
    "report_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "ticker" TEXT,
    "mic" TEXT,
    "isin" TEXT,
    "figi" TEXT,
    "lei" TEXT,
    "weight" DECIMAL(60,20) NOT NULL,
    "shares" DECIMAL(60,20),
    "market_value_usd" DECIMAL(60,20),
    "asset_category" TEXT,
    "country" TEXT,
    "unverified" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "etf_holding_pkey" PRIMARY KEY ("report_id","position")
);

-- CreateIndex
CREATE INDEX "etf_report_asset_id_as_of_idx" ON "etf_report"("asset_id", "as_of" DESC);

-- AddForeignKey
ALTER TABLE "etf_holding" ADD CONSTRAINT "etf_holding_report_id_fkey" FOREIGN KEY ("report_id") REFERENCES "etf_report"("report_id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand: one current report of a fund, day and source; and one row that says of the same that an import was quarantined.
CREATE UNIQUE INDEX "etf_report_current_key" ON "etf_report"("asset_id", "as_of", "source", "status") WHERE "known_to" IS NULL;

ALTER TABLE "etf_report"
    ADD CONSTRAINT "etf_report_known_check" CHECK ("known_to" > "known_from"),
    ADD CONSTRAINT "etf_report_status_check" CHECK ("status" IN ('good', 'quarantined') AND ("status" = 'quarantined') = ("reason" IS NOT NULL)),
    ADD CONSTRAINT "etf_report_nav_check" CHECK (("nav" IS NULL) = ("nav_currency" IS NULL));
ALTER TABLE "etf_holding"
    ADD CONSTRAINT "etf_holding_position_check" CHECK ("position" >= 1);

-- By hand: from a security to the reports that hold it; most holdings have one of these.
CREATE INDEX "etf_holding_isin_idx" ON "etf_holding"("isin") WHERE "isin" IS NOT NULL;
CREATE INDEX "etf_holding_figi_idx" ON "etf_holding"("figi") WHERE "figi" IS NOT NULL;
CREATE INDEX "etf_holding_lei_idx" ON "etf_holding"("lei") WHERE "lei" IS NOT NULL;
CREATE INDEX "etf_holding_ticker_idx" ON "etf_holding"("ticker") WHERE "ticker" IS NOT NULL;
