-- Webhooks: the changes of analyses by POST to addresses of accounts, and one row per event that is to be delivered.
-- CreateTable
CREATE TABLE "webhook" (
    "webhook_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID,
    "url" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "asset_ids" INTEGER[],
    "analysis_type" "analysis_type",
    "change_type" "change_type",
    "seed" BYTEA NOT NULL,
    "previous_seed" BYTEA,
    "previous_until" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL DEFAULT 'active',
    "disabled_reason" TEXT,
    "cursor_at" TIMESTAMPTZ(3) NOT NULL,
    "cursor_id" BIGINT NOT NULL,
    "not_before" TIMESTAMPTZ(3) NOT NULL,
    "failures_in_row" INTEGER NOT NULL DEFAULT 0,
    "dead_in_row" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("webhook_id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "webhook_id" UUID NOT NULL,
    "diff_id" BIGINT NOT NULL,
    "computed_at" TIMESTAMPTZ(3) NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "term" BIGINT,
    "opened_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_error" TEXT,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("webhook_id","diff_id")
);

-- CreateIndex
CREATE INDEX "webhook_account_id_created_at_idx" ON "webhook"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_computed_at_diff_id_idx" ON "webhook_delivery"("webhook_id", "computed_at" DESC, "diff_id" DESC);

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("account_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("webhook_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: the words of the states, and what belongs together.
ALTER TABLE "webhook"
    ADD CONSTRAINT "webhook_url_check" CHECK ("url" LIKE 'https://%' AND char_length("url") <= 2048),
    ADD CONSTRAINT "webhook_state_check" CHECK ("state" IN ('active', 'paused', 'disabled')),
    ADD CONSTRAINT "webhook_disabled_check" CHECK (("state" = 'disabled') = ("disabled_reason" IS NOT NULL) AND "disabled_reason" IN ('gone', 'failing', 'access_lost', 'over_limit')),
    ADD CONSTRAINT "webhook_previous_check" CHECK (("previous_seed" IS NULL) = ("previous_until" IS NULL));
ALTER TABLE "webhook_delivery"
    ADD CONSTRAINT "webhook_delivery_state_check" CHECK ("state" IN ('pending', 'open', 'delivered', 'dead')),
    ADD CONSTRAINT "webhook_delivery_settled_check" CHECK (("settled_at" IS NULL) = ("state" IN ('pending', 'open')));

-- By hand: the events that are still to be delivered, by asset in their order; it is as small as their number.
CREATE INDEX "webhook_delivery_unsettled_idx" ON "webhook_delivery"("webhook_id", "asset_id", "computed_at", "diff_id") WHERE "settled_at" IS NULL;
-- By hand: those under way, and the dead letters.
CREATE INDEX "webhook_delivery_open_idx" ON "webhook_delivery"("webhook_id") WHERE "state" = 'open';
CREATE INDEX "webhook_delivery_dead_idx" ON "webhook_delivery"("webhook_id") WHERE "state" = 'dead';
-- By hand: what the retention deletes.
CREATE INDEX "webhook_delivery_settled_idx" ON "webhook_delivery"("settled_at") WHERE "settled_at" IS NOT NULL;
