-- Totals, rare reasons and the assets of a market are read from indexes: their cost does not grow with the tables.

-- DropIndex
DROP INDEX "instrument_mic_idx";

-- CreateIndex
CREATE INDEX "instrument_mic_asset_id_idx" ON "instrument"("mic", "asset_id");

-- AlterTable
ALTER TABLE "analysis_snapshot" ADD COLUMN "standing" INTEGER;

-- By hand: the rows of before are counted, and none is known before it is generated nor before its chain's newest. What
-- is hashed and signed stays as it is.
ALTER TABLE "analysis_snapshot" DISABLE TRIGGER "analysis_snapshot_append_only";

UPDATE "analysis_snapshot" AS s SET "standing" = given."standing", "known_from" = given."known_from"
FROM (
    SELECT "snapshot_id",
        count(*) FILTER (WHERE "supersedes" IS NULL) OVER (PARTITION BY "asset_id", "analysis_type", "source" ORDER BY "sequence") AS "standing",
        max(greatest("known_from", "generated_at")) OVER (PARTITION BY "asset_id", "analysis_type" ORDER BY "sequence") AS "known_from"
    FROM "analysis_snapshot"
) AS given
WHERE given."snapshot_id" = s."snapshot_id";

ALTER TABLE "analysis_snapshot" ENABLE TRIGGER "analysis_snapshot_append_only";

ALTER TABLE "analysis_snapshot" ALTER COLUMN "standing" SET NOT NULL,
    ADD CONSTRAINT "analysis_snapshot_standing" CHECK ("standing" >= 1),
    ADD CONSTRAINT "analysis_snapshot_known" CHECK ("known_from" >= "generated_at");

-- CreateIndex
CREATE INDEX "analysis_snapshot_total" ON "analysis_snapshot"("asset_id", "analysis_type", "source", "known_from" DESC, "sequence" DESC, "standing");

-- AlterTable
ALTER TABLE "analysis_change" ADD COLUMN "source" TEXT, ADD COLUMN "place" INTEGER;

-- By hand: what stands in the table already gets its source and place.
UPDATE "analysis_change" AS c SET "source" = given."source", "place" = given."place"
FROM (
    SELECT k."diff_id", s."source",
        row_number() OVER (PARTITION BY s."source", k."analysis_type", k."change_type" ORDER BY k."computed_at", k."diff_id") AS "place"
    FROM "analysis_change" AS k JOIN "analysis_snapshot" AS s ON s."snapshot_id" = k."to_snapshot_id"
) AS given
WHERE given."diff_id" = c."diff_id";

ALTER TABLE "analysis_change" ALTER COLUMN "source" SET NOT NULL, ALTER COLUMN "place" SET NOT NULL,
    ADD CONSTRAINT "analysis_change_place" CHECK ("place" >= 1);

-- DropIndex
DROP INDEX "analysis_change_asset_id_analysis_type_computed_at_idx";

-- CreateIndex
CREATE INDEX "analysis_change_asset_id_computed_at_diff_id_idx" ON "analysis_change"("asset_id", "computed_at", "diff_id");

-- CreateIndex
CREATE INDEX "analysis_change_source_change_type_computed_at_diff_id_idx" ON "analysis_change"("source", "change_type", "computed_at" DESC, "diff_id" DESC);

-- CreateIndex
CREATE INDEX "analysis_change_total" ON "analysis_change"("source", "analysis_type", "change_type", "computed_at" DESC, "diff_id" DESC, "place");
