-- Coins as assets from the lists of exchanges: what each exchange trades, which listings are of other coins, and whether
-- exchanges agree about the price.
CREATE TABLE "exchange_listing" (
    "venue" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "ticker" TEXT,
    "quote" TEXT,
    "is_trading" BOOLEAN,
    "name" TEXT,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "exchange_listing_pkey" PRIMARY KEY ("venue", "symbol", "known_from"),
    CONSTRAINT "exchange_listing_known" CHECK ("known_to" > "known_from")
);

CREATE UNIQUE INDEX "exchange_listing_current" ON "exchange_listing" ("venue", "symbol") WHERE "known_to" IS NULL;

CREATE TABLE "excluded_listing" (
    "asset_id" INTEGER NOT NULL,
    "venue" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "excluded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "excluded_listing_pkey" PRIMARY KEY ("asset_id", "venue", "symbol")
);

ALTER TABLE "instrument" ADD COLUMN "is_confirmed" BOOLEAN NOT NULL DEFAULT true;
