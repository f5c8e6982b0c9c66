-- Which venues are done with an old day of an asset: a backfill that was stopped goes on from here.
CREATE TABLE "candle_backfill" (
    "asset_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "venues" TEXT[],
    CONSTRAINT "candle_backfill_pkey" PRIMARY KEY ("asset_id", "day")
);
