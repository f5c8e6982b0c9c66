-- Analysis: append-only snapshots with their hash chain, and what changed from one to the next.


CREATE TYPE "analysis_type" AS ENUM ('halal_analysis', 'market_context', 'regime');

CREATE TYPE "change_type" AS ENUM ('RESTATEMENT', 'METHODOLOGY_CHANGE', 'MODEL_UPGRADE', 'DATA_REFRESH');

CREATE TABLE "analysis_snapshot" (
    "snapshot_id" UUID NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "analysis_type" "analysis_type" NOT NULL,
    "generated_at" TIMESTAMPTZ(3) NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "supersedes" UUID,
    "sequence" INTEGER NOT NULL,
    "content" TEXT NOT NULL,
    "content_hash" TEXT NOT NULL,
    "chain_hash" TEXT NOT NULL,
    "signature" TEXT,
    "signing_key_id" TEXT,
    "model_id" TEXT NOT NULL,
    "methodology_version" TEXT NOT NULL,
    "prompt_version" TEXT,
    "prompt_hash" TEXT,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "data_window_from" TIMESTAMPTZ(3),
    "data_window_to" TIMESTAMPTZ(3),
    "data_lineage" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    CONSTRAINT "analysis_snapshot_pkey" PRIMARY KEY ("snapshot_id")
);

CREATE TABLE "analysis_change" (
    "diff_id" BIGSERIAL NOT NULL,
    "computed_at" TIMESTAMPTZ(3) NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "analysis_type" "analysis_type" NOT NULL,
    "change_type" "change_type" NOT NULL,
    "from_snapshot_id" UUID NOT NULL,
    "to_snapshot_id" UUID NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "changes" JSONB NOT NULL,
    "text_changed" BOOLEAN NOT NULL,
    "similarity" DECIMAL(7,6),
    CONSTRAINT "analysis_change_pkey" PRIMARY KEY ("diff_id")
);

CREATE UNIQUE INDEX "analysis_snapshot_supersedes_key" ON "analysis_snapshot"("supersedes");

CREATE INDEX "analysis_snapshot_asset_id_analysis_type_generated_at_idx" ON "analysis_snapshot"("asset_id", "analysis_type", "generated_at" DESC);

CREATE UNIQUE INDEX "analysis_snapshot_asset_id_analysis_type_sequence_key" ON "analysis_snapshot"("asset_id", "analysis_type", "sequence");

CREATE UNIQUE INDEX "analysis_change_to_snapshot_id_key" ON "analysis_change"("to_snapshot_id");

CREATE INDEX "analysis_change_computed_at_diff_id_idx" ON "analysis_change"("computed_at" DESC, "diff_id" DESC);

CREATE INDEX "analysis_change_asset_id_analysis_type_computed_at_idx" ON "analysis_change"("asset_id", "analysis_type", "computed_at" DESC);
ALTER TABLE "analysis_snapshot"
    ADD CONSTRAINT "analysis_snapshot_hashes" CHECK (
        "content_hash" ~ '^sha256:[0-9a-f]{64}$' AND "chain_hash" ~ '^sha256:[0-9a-f]{64}$'),
    ADD CONSTRAINT "analysis_snapshot_sequence" CHECK ("sequence" >= 1),
    ADD CONSTRAINT "analysis_snapshot_signature" CHECK (("signature" IS NULL) = ("signing_key_id" IS NULL));

ALTER TABLE "analysis_change"
    ADD CONSTRAINT "analysis_change_similarity" CHECK (("similarity" IS NULL) = (NOT "text_changed")
        AND ("similarity" IS NULL OR "similarity" BETWEEN 0 AND 1));

-- A snapshot that could be changed would prove nothing, whoever holds the connection.
CREATE FUNCTION "refuse_analysis_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "analysis_snapshot_append_only" BEFORE UPDATE OR DELETE ON "analysis_snapshot"
    FOR EACH ROW EXECUTE FUNCTION "refuse_analysis_change"();

CREATE TRIGGER "analysis_snapshot_no_truncate" BEFORE TRUNCATE ON "analysis_snapshot"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_analysis_change"();

REVOKE UPDATE, DELETE, TRUNCATE ON "analysis_snapshot" FROM PUBLIC;
