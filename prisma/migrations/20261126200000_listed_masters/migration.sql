-- Masters from the lists of the SEC: where a security trades, what it is, whose it is, and since when no list has it.
CREATE TYPE "security_type" AS ENUM ('preferred', 'warrant', 'unit', 'right');

ALTER TABLE "instrument"
    ADD COLUMN "exchange" TEXT,
    ADD COLUMN "security_type" "security_type",
    ADD COLUMN "issuer_asset_id" INTEGER,
    ADD COLUMN "inactive_since" DATE;

ALTER TABLE "instrument" ADD CONSTRAINT "instrument_issuer_asset_id_fkey"
    FOREIGN KEY ("issuer_asset_id") REFERENCES "asset"("asset_id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE INDEX "instrument_issuer_asset_id_idx" ON "instrument"("issuer_asset_id");
