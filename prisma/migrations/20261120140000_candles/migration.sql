-- Candles: bars of venues, consensus candles and supplies. Series are partitioned by range of ts, so that a range
-- read touches few partitions, retention drops old ones whole, and indexes of closed years stay as they are.

CREATE TYPE "timeframe" AS ENUM ('1h', '1d');

CREATE TABLE "venue_bar" (
    "asset_id" INTEGER NOT NULL,
    "venue" TEXT NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "open" DECIMAL(65,30) NOT NULL,
    "high" DECIMAL(65,30) NOT NULL,
    "low" DECIMAL(65,30) NOT NULL,
    "close" DECIMAL(65,30) NOT NULL,
    "base_volume" DECIMAL(65,30) NOT NULL,
    "quote_volume" DECIMAL(65,30),
    "vwap" DECIMAL(65,30),
    "quote_currency" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "venue_bar_pkey" PRIMARY KEY ("asset_id","venue","ts","known_from"),
    CONSTRAINT "venue_bar_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "venue_bar_prices" CHECK ("low" > 0 AND "low" <= "high" AND "base_volume" >= 0)
) PARTITION BY RANGE ("ts");

CREATE TABLE "venue_bar_2026_01" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-01-01Z') TO ('2026-02-01Z');
CREATE TABLE "venue_bar_2026_02" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-02-01Z') TO ('2026-03-01Z');
CREATE TABLE "venue_bar_2026_03" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-03-01Z') TO ('2026-04-01Z');
CREATE TABLE "venue_bar_2026_04" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-04-01Z') TO ('2026-05-01Z');
CREATE TABLE "venue_bar_2026_05" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-05-01Z') TO ('2026-06-01Z');
CREATE TABLE "venue_bar_2026_06" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-06-01Z') TO ('2026-07-01Z');
CREATE TABLE "venue_bar_2026_07" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-07-01Z') TO ('2026-08-01Z');
CREATE TABLE "venue_bar_2026_08" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-08-01Z') TO ('2026-09-01Z');
CREATE TABLE "venue_bar_2026_09" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-09-01Z') TO ('2026-10-01Z');
CREATE TABLE "venue_bar_2026_10" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-10-01Z') TO ('2026-11-01Z');
CREATE TABLE "venue_bar_2026_11" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-11-01Z') TO ('2026-12-01Z');
CREATE TABLE "venue_bar_2026_12" PARTITION OF "venue_bar" FOR VALUES FROM ('2026-12-01Z') TO ('2027-01-01Z');
CREATE TABLE "venue_bar_2027_01" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-01-01Z') TO ('2027-02-01Z');
CREATE TABLE "venue_bar_2027_02" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-02-01Z') TO ('2027-03-01Z');
CREATE TABLE "venue_bar_2027_03" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-03-01Z') TO ('2027-04-01Z');
CREATE TABLE "venue_bar_2027_04" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-04-01Z') TO ('2027-05-01Z');
CREATE TABLE "venue_bar_2027_05" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-05-01Z') TO ('2027-06-01Z');
CREATE TABLE "venue_bar_2027_06" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-06-01Z') TO ('2027-07-01Z');
CREATE TABLE "venue_bar_2027_07" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-07-01Z') TO ('2027-08-01Z');
CREATE TABLE "venue_bar_2027_08" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-08-01Z') TO ('2027-09-01Z');
CREATE TABLE "venue_bar_2027_09" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-09-01Z') TO ('2027-10-01Z');
CREATE TABLE "venue_bar_2027_10" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-10-01Z') TO ('2027-11-01Z');
CREATE TABLE "venue_bar_2027_11" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-11-01Z') TO ('2027-12-01Z');
CREATE TABLE "venue_bar_2027_12" PARTITION OF "venue_bar" FOR VALUES FROM ('2027-12-01Z') TO ('2028-01-01Z');
CREATE TABLE "venue_bar_later" PARTITION OF "venue_bar" DEFAULT;

CREATE UNIQUE INDEX "venue_bar_standing" ON "venue_bar" ("asset_id", "ts", "venue") WHERE "known_to" IS NULL;

CREATE TABLE "candle" (
    "asset_id" INTEGER NOT NULL,
    "timeframe" "timeframe" NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "vwap_usd" DECIMAL(65,30),
    "volume_usd" DECIMAL(65,30),
    "exchanges_count" SMALLINT NOT NULL,
    "max_source_weight" DECIMAL(11,10),
    "methodology_version" TEXT NOT NULL,
    "sources" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "candle_pkey" PRIMARY KEY ("asset_id","timeframe","ts","known_from"),
    CONSTRAINT "candle_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "candle_price" CHECK ("vwap_usd" > 0),
    CONSTRAINT "candle_weight" CHECK ("max_source_weight" BETWEEN 0 AND 0.5)
) PARTITION BY RANGE ("ts");

CREATE TABLE "candle_before_2020" PARTITION OF "candle" FOR VALUES FROM (MINVALUE) TO ('2020-01-01Z');
CREATE TABLE "candle_2020" PARTITION OF "candle" FOR VALUES FROM ('2020-01-01Z') TO ('2021-01-01Z');
CREATE TABLE "candle_2021" PARTITION OF "candle" FOR VALUES FROM ('2021-01-01Z') TO ('2022-01-01Z');
CREATE TABLE "candle_2022" PARTITION OF "candle" FOR VALUES FROM ('2022-01-01Z') TO ('2023-01-01Z');
CREATE TABLE "candle_2023" PARTITION OF "candle" FOR VALUES FROM ('2023-01-01Z') TO ('2024-01-01Z');
CREATE TABLE "candle_2024" PARTITION OF "candle" FOR VALUES FROM ('2024-01-01Z') TO ('2025-01-01Z');
CREATE TABLE "candle_2025" PARTITION OF "candle" FOR VALUES FROM ('2025-01-01Z') TO ('2026-01-01Z');
CREATE TABLE "candle_2026" PARTITION OF "candle" FOR VALUES FROM ('2026-01-01Z') TO ('2027-01-01Z');
CREATE TABLE "candle_2027" PARTITION OF "candle" FOR VALUES FROM ('2027-01-01Z') TO ('2028-01-01Z');
CREATE TABLE "candle_2028" PARTITION OF "candle" FOR VALUES FROM ('2028-01-01Z') TO ('2029-01-01Z');
CREATE TABLE "candle_2029" PARTITION OF "candle" FOR VALUES FROM ('2029-01-01Z') TO ('2030-01-01Z');
CREATE TABLE "candle_2030" PARTITION OF "candle" FOR VALUES FROM ('2030-01-01Z') TO ('2031-01-01Z');
CREATE TABLE "candle_later" PARTITION OF "candle" DEFAULT;

-- The hot read: candles of an asset as they stand, from this index alone.
CREATE UNIQUE INDEX "candle_standing" ON "candle" ("asset_id", "timeframe", "ts")
    INCLUDE ("vwap_usd", "volume_usd", "exchanges_count", "max_source_weight") WHERE "known_to" IS NULL;

CREATE TABLE "asset_supply" (
    "asset_id" INTEGER NOT NULL,
    "supply" DECIMAL(65,30) NOT NULL,
    "source" TEXT NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "asset_supply_pkey" PRIMARY KEY ("asset_id","known_from"),
    CONSTRAINT "asset_supply_positive" CHECK ("supply" > 0),
    CONSTRAINT "asset_supply_known" CHECK ("known_to" > "known_from")
);

CREATE UNIQUE INDEX "asset_supply_standing" ON "asset_supply" ("asset_id") WHERE "known_to" IS NULL;
