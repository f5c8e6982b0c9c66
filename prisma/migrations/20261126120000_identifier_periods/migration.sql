-- A security may have the same ticker several times.
ALTER TABLE "instrument_identifier" ADD COLUMN "occurrence" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "instrument_identifier" DROP CONSTRAINT "instrument_identifier_pkey",
  ADD CONSTRAINT "instrument_identifier_pkey" PRIMARY KEY ("asset_id", "scheme", "value", "occurrence", "known_from");
DROP INDEX "instrument_identifier_current";
CREATE UNIQUE INDEX "instrument_identifier_current"
  ON "instrument_identifier" ("asset_id", "scheme", "value", "occurrence") WHERE "known_to" IS NULL;
