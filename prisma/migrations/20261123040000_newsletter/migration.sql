-- The newsletter: who gets it, its issues, and one row per mail.
-- CreateTable
CREATE TABLE "newsletter_subscription" (
    "account_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "confirm_sent_at" TIMESTAMPTZ(3),
    "confirmed_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,

    CONSTRAINT "newsletter_subscription_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "newsletter_issue" (
    "issue_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "html" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "sections" JSONB NOT NULL,
    "content_hash" TEXT NOT NULL,
    "is_dev_dataset" BOOLEAN NOT NULL,
    "generated_at" TIMESTAMPTZ(3) NOT NULL,
    "send_by" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "newsletter_issue_pkey" PRIMARY KEY ("issue_id")
);

-- CreateTable
CREATE TABLE "newsletter_delivery" (
    "issue_id" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "term" BIGINT,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "opened_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "last_error" TEXT,

    CONSTRAINT "newsletter_delivery_pkey" PRIMARY KEY ("issue_id","account_id")
);

-- AddForeignKey
ALTER TABLE "newsletter_subscription" ADD CONSTRAINT "newsletter_subscription_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("account_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "newsletter_delivery" ADD CONSTRAINT "newsletter_delivery_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "newsletter_issue"("issue_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand: the words of the states, and what belongs together.
ALTER TABLE "newsletter_subscription"
    ADD CONSTRAINT "newsletter_subscription_end_check" CHECK (("ended_at" IS NULL) = ("end_reason" IS NULL) AND "end_reason" IN ('unsubscribed', 'rejected'));
ALTER TABLE "newsletter_delivery"
    ADD CONSTRAINT "newsletter_delivery_state_check" CHECK ("state" IN ('pending', 'open', 'committed', 'accepted', 'rejected', 'failed', 'unconfirmed', 'cancelled')),
    ADD CONSTRAINT "newsletter_delivery_settled_check" CHECK (("settled_at" IS NULL) = ("state" IN ('pending', 'open', 'committed')));

-- By hand: the mails that are still to be sent, oldest due first; it is as small as their number.
CREATE INDEX "newsletter_delivery_due_idx" ON "newsletter_delivery"("next_attempt_at") WHERE "settled_at" IS NULL;
