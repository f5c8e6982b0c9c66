CREATE TYPE "corporate_action_kind" AS ENUM ('split', 'reverse_split', 'spin_off', 'merger');
CREATE TYPE "dividend_frequency" AS ENUM ('monthly', 'quarterly', 'semi_annual', 'annual', 'special');
CREATE TYPE "identifier_scheme" AS ENUM ('ticker', 'isin', 'figi', 'cik', 'lei', 'name');

-- What changed the shares of companies; one current row per stock, day and kind.
CREATE TABLE "corporate_action" (
    "asset_id" INTEGER NOT NULL,
    "ex_date" DATE NOT NULL,
    "action_type" "corporate_action_kind" NOT NULL,
    "ratio" DECIMAL,
    "description" TEXT,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "corporate_action_pkey" PRIMARY KEY ("asset_id","ex_date","action_type","known_from"),
    CONSTRAINT "corporate_action_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "corporate_action_ratio" CHECK ("ratio" > 0 AND "ratio" < 'Infinity'),
    CONSTRAINT "corporate_action_withdrawn" CHECK (NOT "is_withdrawn" OR ("ratio" IS NULL AND "description" IS NULL))
);

CREATE UNIQUE INDEX "corporate_action_current" ON "corporate_action" ("asset_id", "ex_date", "action_type")
  WHERE "known_to" IS NULL;

-- Cash dividends of stocks; one current row per stock, day and frequency.
CREATE TABLE "dividend" (
    "asset_id" INTEGER NOT NULL,
    "ex_date" DATE NOT NULL,
    "frequency" "dividend_frequency" NOT NULL,
    "pay_date" DATE,
    "amount" DECIMAL,
    "currency" TEXT,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "dividend_pkey" PRIMARY KEY ("asset_id","ex_date","frequency","known_from"),
    CONSTRAINT "dividend_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "dividend_amount" CHECK ("amount" > 0 AND "amount" < 'Infinity'),
    CONSTRAINT "dividend_currency" CHECK ("currency" ~ '^[A-Z]{3}$'),
    CONSTRAINT "dividend_paid" CHECK ("pay_date" >= "ex_date"),
    CONSTRAINT "dividend_withdrawn" CHECK (
      CASE WHEN "is_withdrawn" THEN "amount" IS NULL AND "currency" IS NULL AND "pay_date" IS NULL
      ELSE "amount" IS NOT NULL AND "currency" IS NOT NULL END)
);

CREATE UNIQUE INDEX "dividend_current" ON "dividend" ("asset_id", "ex_date", "frequency")
  WHERE "known_to" IS NULL;

-- By what an instrument is and was named; one current row per instrument, scheme and value.
CREATE TABLE "instrument_identifier" (
    "asset_id" INTEGER NOT NULL,
    "scheme" "identifier_scheme" NOT NULL,
    "value" TEXT NOT NULL,
    "valid_from" DATE,
    "valid_to" DATE,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "instrument_identifier_pkey" PRIMARY KEY ("asset_id","scheme","value","known_from"),
    CONSTRAINT "instrument_identifier_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "instrument_identifier_valid" CHECK ("valid_to" > "valid_from")
);

CREATE UNIQUE INDEX "instrument_identifier_current" ON "instrument_identifier" ("asset_id", "scheme", "value")
  WHERE "known_to" IS NULL;

-- What a former ticker became.
CREATE INDEX "instrument_identifier_former_ticker" ON "instrument_identifier" ("value")
  WHERE "known_to" IS NULL AND "scheme" = 'ticker' AND "valid_to" IS NOT NULL;
