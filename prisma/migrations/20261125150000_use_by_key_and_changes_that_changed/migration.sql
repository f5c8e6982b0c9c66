-- Units of each key in the running clock hour: what a key shows as its own use.
CREATE TABLE "usage_hour" (
    "key_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "units" BIGINT NOT NULL,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("key_id","hour"),
    CONSTRAINT "usage_hour_units_check" CHECK ("units" >= 0)
);

-- Two snapshots with one content hash (the oldest have none) are no change: the feed no longer has them, and its places are counted again.
DELETE FROM "analysis_change" AS c USING "analysis_snapshot" AS f, "analysis_snapshot" AS t
  WHERE f."snapshot_id" = c."from_snapshot_id" AND t."snapshot_id" = c."to_snapshot_id"
    AND f."content_hash" = t."content_hash" AND f."content_hash" <> '';

UPDATE "analysis_change" AS c SET "place" = given."place"
  FROM (
    SELECT "diff_id", row_number() OVER (
      PARTITION BY "source", "analysis_type", "change_type" ORDER BY "computed_at", "diff_id") AS "place"
    FROM "analysis_change"
  ) AS given
  WHERE given."diff_id" = c."diff_id" AND given."place" <> c."place";
