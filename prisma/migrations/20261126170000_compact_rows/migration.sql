-- Candles and bars in a compact form. Nodes of the version before go on reading and writing the old form, until the operator
-- starts the compact one (row_form); nodes of this version read both.

CREATE TYPE "venue" AS ENUM ('binance', 'bitfinex', 'bitstamp', 'coinbase', 'kraken', 'okx');

-- How new rows are stored: one row. Without candles and bars no older node can have written any.
CREATE TABLE "row_form" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "compact_since" TIMESTAMPTZ(3),

    CONSTRAINT "row_form_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "row_form_single" CHECK ("id" = 1)
);

INSERT INTO "row_form" ("compact_since")
SELECT CASE WHEN EXISTS (SELECT 1 FROM "candle") OR EXISTS (SELECT 1 FROM "venue_bar") THEN NULL ELSE now() END;

-- A candle has its sources in one of the two columns. Rows of before are not checked, as they all have the first one.
ALTER TABLE "candle" ALTER COLUMN "sources" DROP NOT NULL;
ALTER TABLE "candle" ADD COLUMN "sources_packed" BYTEA;
ALTER TABLE "candle" ADD CONSTRAINT "candle_sources" CHECK (("sources" IS NULL) <> ("sources_packed" IS NULL)) NOT VALID;

-- The primary key had every row; few of them are closed, and the current ones have "candle_standing". A read as of an instant
-- uses both.
CREATE UNIQUE INDEX "candle_closed" ON "candle" ("asset_id", "timeframe", "ts", "known_from") WHERE "known_to" IS NOT NULL;
ALTER TABLE "candle" DROP CONSTRAINT "candle_pkey";

-- The rows that are still to be converted.
CREATE INDEX "candle_unpacked" ON "candle" ("asset_id") WHERE "sources" IS NOT NULL;

-- One-minute bars, with the figures of each as bytes.
CREATE TABLE "minute_bar" (
    "asset_id" INTEGER NOT NULL,
    "venue" "venue" NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "figures" BYTEA NOT NULL,

    CONSTRAINT "minute_bar_known" CHECK ("known_to" > "known_from")
) PARTITION BY RANGE ("ts");

DO $$
DECLARE
  month TIMESTAMP := '2026-01-01';
BEGIN
  WHILE month < '2028-01-01' LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF "minute_bar" FOR VALUES FROM (%L) TO (%L)',
      'minute_bar_' || to_char(month, 'YYYY_MM'), month || 'Z', (month + interval '1 month') || 'Z');
    month := month + interval '1 month';
  END LOOP;
END $$;
CREATE TABLE "minute_bar_later" PARTITION OF "minute_bar" DEFAULT;

CREATE UNIQUE INDEX "minute_bar_current" ON "minute_bar" ("asset_id", "venue", "ts") WHERE "known_to" IS NULL;
CREATE UNIQUE INDEX "minute_bar_closed" ON "minute_bar" ("asset_id", "venue", "ts", "known_from") WHERE "known_to" IS NOT NULL;
