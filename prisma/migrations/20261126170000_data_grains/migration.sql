-- A grain is a part of a dataset with its own version, such as the candles of one asset, so that a commit outdates only the
-- answers that were read from what it wrote.
CREATE TABLE "data_grain" (
    "dataset" TEXT NOT NULL,
    "grain" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "commit_id" UUID NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "data_grain_pkey" PRIMARY KEY ("dataset", "grain")
);

-- Nodes read the grains that changed since the version that they know.
CREATE INDEX "data_grain_dataset_version_idx" ON "data_grain"("dataset", "version");

-- A commit of an earlier release raises the version alone. It therefore outdates all grains.
ALTER TABLE "dataset_state" ADD COLUMN "grained_version" BIGINT;
ALTER TABLE "dataset_state" ADD COLUMN "recent_commits" UUID[] NOT NULL DEFAULT '{}';
