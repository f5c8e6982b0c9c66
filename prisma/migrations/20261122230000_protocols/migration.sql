-- Protocols with their total value locked, fees and revenue by day, and what these say of assets; bi-temporal.
CREATE TABLE "protocol" (
    "protocol_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "category" TEXT,
    "chains" TEXT[],
    "source" TEXT NOT NULL,

    CONSTRAINT "protocol_pkey" PRIMARY KEY ("protocol_id")
);

CREATE TABLE "protocol_tvl" (
    "protocol_id" TEXT NOT NULL,
    "snapshot_date" DATE NOT NULL,
    "tvl_usd" DECIMAL(65,30) NOT NULL,
    "tvl_change_1d_pct" DECIMAL(65,30),
    "tvl_change_7d_pct" DECIMAL(65,30),
    "source" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "protocol_tvl_pkey" PRIMARY KEY ("protocol_id","snapshot_date","known_from"),
    CONSTRAINT "protocol_tvl_known_check" CHECK ("known_to" > "known_from")
);

CREATE TABLE "protocol_economics" (
    "protocol_id" TEXT NOT NULL,
    "snapshot_date" DATE NOT NULL,
    "measure" TEXT NOT NULL,
    "total_24h_usd" DECIMAL(65,30),
    "total_7d_usd" DECIMAL(65,30),
    "total_30d_usd" DECIMAL(65,30),
    "source" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "protocol_economics_pkey" PRIMARY KEY ("protocol_id","measure","snapshot_date","known_from"),
    CONSTRAINT "protocol_economics_measure_check" CHECK ("measure" IN ('fees', 'revenue')),
    CONSTRAINT "protocol_economics_known_check" CHECK ("known_to" > "known_from")
);

CREATE TABLE "asset_fundamentals" (
    "asset_id" INTEGER NOT NULL,
    "snapshot_date" DATE NOT NULL,
    "fees_30d_usd" DECIMAL(65,30),
    "revenue_30d_usd" DECIMAL(65,30),
    "fees_annualized" DECIMAL(65,30),
    "revenue_annualized" DECIMAL(65,30),
    "ps_ratio" DECIMAL(65,30),
    "pr_ratio" DECIMAL(65,30),
    "price_source" TEXT,
    "supply_source" TEXT,
    "methodology_version" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "asset_fundamentals_pkey" PRIMARY KEY ("asset_id","snapshot_date","known_from"),
    CONSTRAINT "asset_fundamentals_known_check" CHECK ("known_to" > "known_from")
);

-- By hand: one current row of each key.
CREATE UNIQUE INDEX "protocol_tvl_current_key" ON "protocol_tvl"("protocol_id", "snapshot_date") WHERE "known_to" IS NULL;
CREATE UNIQUE INDEX "protocol_economics_current_key" ON "protocol_economics"("protocol_id", "measure", "snapshot_date") WHERE "known_to" IS NULL;
CREATE UNIQUE INDEX "asset_fundamentals_current_key" ON "asset_fundamentals"("asset_id", "snapshot_date") WHERE "known_to" IS NULL;
