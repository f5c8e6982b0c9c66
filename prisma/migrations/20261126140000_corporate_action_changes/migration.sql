-- Changes of corporate actions, in one order with the changes of analyses, and as events of webhooks.
CREATE TYPE "corporate_action_change_type" AS ENUM ('split', 'reverse_split', 'spin_off', 'merger', 'ticker_change', 'dividend');
CREATE TYPE "corporate_action_change_kind" AS ENUM ('created', 'revised');

-- CreateTable
CREATE TABLE "corporate_action_change" (
    "diff_id" BIGINT NOT NULL,
    "change_id" UUID NOT NULL,
    "computed_at" TIMESTAMPTZ(3) NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "action_type" "corporate_action_change_type" NOT NULL,
    "action_key" TEXT NOT NULL,
    "change_kind" "corporate_action_change_kind" NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "source" TEXT NOT NULL,
    "place" INTEGER NOT NULL,

    CONSTRAINT "corporate_action_change_pkey" PRIMARY KEY ("diff_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "corporate_action_change_change_id_key" ON "corporate_action_change"("change_id");
CREATE INDEX "corporate_action_change_computed_at_diff_id_idx" ON "corporate_action_change"("computed_at" DESC, "diff_id" DESC);
CREATE INDEX "corporate_action_change_asset_id_computed_at_diff_id_idx" ON "corporate_action_change"("asset_id", "computed_at", "diff_id");
CREATE INDEX "corporate_action_change_action" ON "corporate_action_change"("asset_id", "action_type", "action_key", "computed_at" DESC, "diff_id" DESC);
CREATE INDEX "corporate_action_change_total" ON "corporate_action_change"("action_type", "change_kind", "computed_at" DESC, "diff_id" DESC, "place");

-- By hand: a change changes something, and a new action has nothing before it.
ALTER TABLE "corporate_action_change"
    ADD CONSTRAINT "corporate_action_change_differs" CHECK ("before" IS DISTINCT FROM "after"),
    ADD CONSTRAINT "corporate_action_change_created" CHECK ("change_kind" = 'revised' OR "before" IS NULL);

-- By hand: each action that is known now is created when the gateway learned its current terms.
INSERT INTO "corporate_action_change" ("diff_id", "change_id", "computed_at", "asset_id", "action_type", "action_key",
    "change_kind", "before", "after", "known_from", "source", "place")
SELECT nextval('analysis_change_diff_id_seq'), gen_random_uuid(), k."known_from", k."asset_id",
    k."action_type"::"corporate_action_change_type", k."action_key", 'created', NULL, k."terms", k."known_from", k."source", k."place"
  FROM (
    SELECT s.*, row_number() OVER (PARTITION BY s."action_type" ORDER BY s."known_from", s."asset_id", s."action_key") AS "place"
    FROM (
      SELECT a."asset_id", a."action_type"::text AS "action_type", a."ex_date"::text AS "action_key",
        jsonb_build_object('ex_date', a."ex_date", 'ratio', a."ratio", 'value_ratio', a."value_ratio",
          'description', a."description") AS "terms", a."known_from", a."source"
      FROM "corporate_action" AS a WHERE a."known_to" IS NULL AND NOT a."is_withdrawn"
      UNION ALL
      SELECT i."asset_id", 'ticker_change', i."value" || ' ' || i."occurrence",
        jsonb_build_object('ex_date', i."valid_to", 'former_ticker', i."value"), i."known_from", i."source"
      FROM "instrument_identifier" AS i WHERE i."known_to" IS NULL AND i."scheme" = 'ticker' AND i."valid_to" IS NOT NULL
      UNION ALL
      SELECT d."asset_id", 'dividend', d."ex_date" || ' ' || d."frequency",
        jsonb_build_object('ex_date', d."ex_date", 'pay_date', d."pay_date", 'amount', d."amount", 'currency', d."currency",
          'frequency', d."frequency"), d."known_from", d."source"
      FROM "dividend" AS d WHERE d."known_to" IS NULL AND NOT d."is_withdrawn"
        AND (d."frequency"::text <> 'unspecified' OR NOT EXISTS (
          SELECT 1 FROM "dividend" AS o WHERE o."asset_id" = d."asset_id" AND o."ex_date" = d."ex_date"
            AND o."frequency"::text <> 'unspecified' AND NOT o."is_withdrawn" AND o."known_to" IS NULL))
    ) AS s
    ORDER BY s."known_from", s."asset_id", s."action_key"
  ) AS k;

-- The types of the events of a webhook, and to which of both feeds an event belongs.
ALTER TABLE "webhook" ADD COLUMN "event_types" TEXT[] DEFAULT ARRAY['ai_analysis.change']::TEXT[];
ALTER TABLE "webhook_delivery" ADD COLUMN "feed" TEXT NOT NULL DEFAULT 'ai_analysis';
ALTER TABLE "webhook"
    ADD CONSTRAINT "webhook_event_types_check" CHECK ("event_types" IS NOT NULL AND cardinality("event_types") > 0
      AND "event_types" <@ ARRAY['ai_analysis.change', 'corporate_action.created', 'corporate_action.revised']);
ALTER TABLE "webhook_delivery"
    ADD CONSTRAINT "webhook_delivery_feed_check" CHECK ("feed" IN ('ai_analysis', 'corporate_action')),
    DROP CONSTRAINT "webhook_delivery_diff_id_fkey",
    ADD COLUMN "analysis_change_id" BIGINT GENERATED ALWAYS AS (CASE WHEN "feed" = 'ai_analysis' THEN "diff_id" END) STORED,
    ADD COLUMN "action_change_id" BIGINT GENERATED ALWAYS AS (CASE WHEN "feed" = 'corporate_action' THEN "diff_id" END) STORED;
-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_analysis_change_id_fkey" FOREIGN KEY ("analysis_change_id") REFERENCES "analysis_change"("diff_id") ON DELETE RESTRICT;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_action_change_id_fkey" FOREIGN KEY ("action_change_id") REFERENCES "corporate_action_change"("diff_id") ON DELETE CASCADE;
CREATE INDEX "webhook_delivery_action_change_id_idx" ON "webhook_delivery"("action_change_id") WHERE "action_change_id" IS NOT NULL;
