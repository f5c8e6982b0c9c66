-- Which ticker a FIGI had, by the answers of OpenFIGI.
CREATE TABLE "figi_symbol" (
    "figi" TEXT NOT NULL,
    "ticker" TEXT NOT NULL,
    "occurrence" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "valid_from" DATE,
    "valid_to" DATE,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "figi_symbol_pkey" PRIMARY KEY ("figi", "ticker", "occurrence", "known_from"),
    CONSTRAINT "figi_symbol_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "figi_symbol_valid" CHECK ("valid_to" > "valid_from")
);

CREATE UNIQUE INDEX "figi_symbol_current" ON "figi_symbol" ("figi", "ticker", "occurrence")
  WHERE "known_to" IS NULL;

CREATE INDEX "figi_symbol_ticker_idx" ON "figi_symbol"("ticker");
