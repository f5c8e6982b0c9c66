-- What chains said of addresses, by day.
CREATE TABLE "address_snapshot" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "snapshot_date" DATE NOT NULL,
    "balance_wei" DECIMAL(78,0) NOT NULL,
    "transaction_count" BIGINT NOT NULL,
    "is_contract" BOOLEAN NOT NULL,
    "delegated_to" TEXT,
    "contract_name" TEXT,
    "contract_name_source" TEXT,
    "block_number" BIGINT NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "address_snapshot_pkey" PRIMARY KEY ("chain_id","address","snapshot_date"),
    CONSTRAINT "address_snapshot_address" CHECK ("address" ~ '^0x[0-9a-f]{40}$')
);

-- For the retention.
CREATE INDEX "address_snapshot_snapshot_date_idx" ON "address_snapshot"("snapshot_date");
