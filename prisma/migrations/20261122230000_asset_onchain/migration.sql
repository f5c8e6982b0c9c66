-- On-chain figures of crypto assets by day, bi-temporal.
CREATE TABLE "asset_onchain" (
    "asset_id" INTEGER NOT NULL,
    "snapshot_date" DATE NOT NULL,
    "active_addresses" BIGINT,
    "tx_count" BIGINT,
    "fees_total_usd" DECIMAL(65,30),
    "avg_fee_usd" DECIMAL(65,30),
    "circulating_supply" DECIMAL(65,30),
    "realized_cap_usd" DECIMAL(65,30),
    "mvrv_ratio" DECIMAL(65,30),
    "nupl" DECIMAL(65,30),
    "sopr" DECIMAL(65,30),
    "realized_price_usd" DECIMAL(65,30),
    "hodl_waves" JSONB,
    "methodology_version" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "asset_onchain_pkey" PRIMARY KEY ("asset_id","snapshot_date","known_from"),
    CONSTRAINT "asset_onchain_known_check" CHECK ("known_to" > "known_from"),
    CONSTRAINT "asset_onchain_counts_check" CHECK ("active_addresses" >= 0 AND "tx_count" >= 0)
);

-- By hand: one current row of each asset and day; the newest is found from its end.
CREATE UNIQUE INDEX "asset_onchain_current_key" ON "asset_onchain"("asset_id", "snapshot_date") WHERE "known_to" IS NULL;
