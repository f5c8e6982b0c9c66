-- Which company had a ticker, by the daily lists of the SEC.
CREATE TABLE "listed_symbol" (
    "ticker" TEXT NOT NULL,
    "cik" TEXT NOT NULL,
    "exchange" TEXT NOT NULL,
    "occurrence" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "valid_from" DATE,
    "valid_to" DATE,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "listed_symbol_pkey" PRIMARY KEY ("ticker", "cik", "exchange", "occurrence", "known_from"),
    CONSTRAINT "listed_symbol_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "listed_symbol_valid" CHECK ("valid_to" > "valid_from")
);

CREATE UNIQUE INDEX "listed_symbol_current" ON "listed_symbol" ("ticker", "cik", "exchange", "occurrence")
  WHERE "known_to" IS NULL;

CREATE INDEX "listed_symbol_cik_idx" ON "listed_symbol"("cik");
