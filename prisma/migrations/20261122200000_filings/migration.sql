-- Figures that companies filed, and closing prices of listings, both bi-temporal.

-- CreateTable
CREATE TABLE "filed_fact" (
    "cik" TEXT NOT NULL,
    "taxonomy" TEXT NOT NULL,
    "tag" TEXT NOT NULL,
    "unit" TEXT NOT NULL,
    "period_end" DATE NOT NULL,
    "period_days" INTEGER NOT NULL,
    "accession" TEXT NOT NULL,
    "form" TEXT,
    "filed" DATE,
    "value" DECIMAL(65,30),
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "filed_fact_pkey" PRIMARY KEY ("cik","taxonomy","tag","unit","period_end","period_days","accession","known_from")
);

-- CreateTable
CREATE TABLE "daily_price" (
    "instrument_id" INTEGER NOT NULL,
    "date" DATE NOT NULL,
    "close" DECIMAL(20,8) NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "daily_price_pkey" PRIMARY KEY ("instrument_id","date","known_from")
);

-- By hand: one current row per key, in the order that a body is compared in.
CREATE UNIQUE INDEX "filed_fact_current_key" ON "filed_fact"("cik", "period_end", "taxonomy", "tag", "unit", "period_days", "accession") WHERE "known_to" IS NULL;
CREATE UNIQUE INDEX "daily_price_current_key" ON "daily_price"("instrument_id", "date") WHERE "known_to" IS NULL;

-- By hand: the annual reports of a filer, and what the cover pages of its filings say.
CREATE INDEX "filed_fact_annual" ON "filed_fact"("cik", "accession", "period_end", "form", "filed") WHERE "known_to" IS NULL AND "period_days" BETWEEN 350 AND 380;
CREATE INDEX "filed_fact_cover" ON "filed_fact"("cik", "period_end") WHERE "known_to" IS NULL AND "taxonomy" = 'dei';

ALTER TABLE "filed_fact"
    ADD CONSTRAINT "filed_fact_known_check" CHECK ("known_to" > "known_from"),
    ADD CONSTRAINT "filed_fact_cik_check" CHECK ("cik" ~ '^[0-9]{10}$'),
    ADD CONSTRAINT "filed_fact_period_check" CHECK ("period_days" >= 0),
    ADD CONSTRAINT "filed_fact_value_check" CHECK (
        CASE WHEN "is_withdrawn" THEN "value" IS NULL ELSE "value" IS NOT NULL AND "form" IS NOT NULL AND "filed" IS NOT NULL END);

ALTER TABLE "daily_price"
    ADD CONSTRAINT "daily_price_known_check" CHECK ("known_to" > "known_from"),
    ADD CONSTRAINT "daily_price_close_check" CHECK ("close" > 0);
