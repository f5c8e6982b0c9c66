CREATE TABLE "job_run" (
    "job" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "covers_to" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "term" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "detail" TEXT,
    CONSTRAINT "job_run_pkey" PRIMARY KEY ("job","due_at")
);

CREATE INDEX "job_run_job_status_due_at_idx" ON "job_run"("job", "status", "due_at" DESC);

CREATE TABLE "schedule_lease" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "term" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "schedule_lease_pkey" PRIMARY KEY ("name")
);

-- Each run looks for those still under way; the schedule adds thousands of rows a day.
CREATE INDEX "ingest_run_status_idx" ON "ingest_run"("status");
