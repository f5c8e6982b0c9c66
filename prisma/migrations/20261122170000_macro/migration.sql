-- Macro series of all providers: a catalogue, and bi-temporal observations.

-- CreateTable
CREATE TABLE "macro_series" (
    "series_id" SERIAL NOT NULL,
    "provider" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "series_key" TEXT NOT NULL,
    "country" TEXT,
    "unit" TEXT,
    "frequency" TEXT NOT NULL,
    "description" TEXT,
    "is_headline" BOOLEAN NOT NULL,
    "is_discontinued" BOOLEAN NOT NULL DEFAULT false,
    "source" TEXT NOT NULL,

    CONSTRAINT "macro_series_pkey" PRIMARY KEY ("series_id")
);

-- CreateTable
CREATE TABLE "macro_observation" (
    "series_id" INTEGER NOT NULL,
    "period_start" DATE NOT NULL,
    "value" DECIMAL(65,30),
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "macro_observation_pkey" PRIMARY KEY ("series_id","period_start","known_from")
);

-- CreateIndex
CREATE UNIQUE INDEX "macro_series_provider_dataset_series_key_key" ON "macro_series"("provider", "dataset", "series_key");

-- By hand: the series that catalogues show, and those of a country within a dataset.
CREATE INDEX "macro_series_headline" ON "macro_series"("provider", "country") WHERE "is_headline";
CREATE INDEX "macro_series_of_country" ON "macro_series"("provider", "dataset", "country", "series_key") WHERE "country" IS NOT NULL;

-- By hand: a page is read from the current rows alone.
CREATE UNIQUE INDEX "macro_observation_current_key" ON "macro_observation"("series_id", "period_start") INCLUDE ("value", "is_withdrawn") WHERE "known_to" IS NULL;

ALTER TABLE "macro_series"
    ADD CONSTRAINT "macro_series_frequency_check" CHECK ("frequency" IN ('annual', 'quarterly', 'monthly', 'daily'));

ALTER TABLE "macro_observation"
    ADD CONSTRAINT "macro_observation_known_check" CHECK ("known_to" > "known_from"),
    ADD CONSTRAINT "macro_observation_value_check" CHECK (NOT "is_withdrawn" OR "value" IS NULL);
