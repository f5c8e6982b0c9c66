-- The issuer of a listing, how venues write pairs, and the codes of currencies and markets.

ALTER TABLE "instrument" ADD COLUMN "lei" TEXT;

CREATE TABLE "venue_symbol" (
    "asset_id" INTEGER NOT NULL,
    "venue" TEXT NOT NULL,
    "symbol" TEXT,
    "source" TEXT NOT NULL,

    CONSTRAINT "venue_symbol_pkey" PRIMARY KEY ("asset_id", "venue")
);

CREATE TABLE "iso_currency" (
    "code" TEXT NOT NULL,
    "numeric_code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "minor_units" INTEGER,
    "source" TEXT NOT NULL,

    CONSTRAINT "iso_currency_pkey" PRIMARY KEY ("code")
);

CREATE TABLE "iso_market" (
    "mic" TEXT NOT NULL,
    "operating_mic" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "iso_market_pkey" PRIMARY KEY ("mic")
);
