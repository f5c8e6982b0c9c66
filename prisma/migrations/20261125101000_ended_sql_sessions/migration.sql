-- Sessions of SQL logins that the gateway has ended: a login that is ended three times within an hour is disabled.
-- AlterTable
ALTER TABLE "sql_credential" ADD COLUMN "disabled_reason" TEXT;

-- CreateTable
CREATE TABLE "sql_session_end" (
    "role_name" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "sql_session_end_pkey" PRIMARY KEY ("role_name","pid","started_at")
);

-- CreateIndex
CREATE INDEX "sql_session_end_ended_at_idx" ON "sql_session_end"("ended_at");

-- By hand: the words of the reasons.
ALTER TABLE "sql_credential"
    ADD CONSTRAINT "sql_credential_disabled_check" CHECK ("disabled_reason" IS NULL OR "disabled_reason" IN ('access_lost', 'limits') AND "revoked_at" IS NOT NULL);
