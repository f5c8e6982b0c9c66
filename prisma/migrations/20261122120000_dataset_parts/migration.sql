-- What a dataset is made of: each provider's part keeps its own version, date and terms.
ALTER TABLE "dataset_state" ADD COLUMN "parts" JSONB NOT NULL DEFAULT '{}';

UPDATE "dataset_state" SET "parts" = jsonb_build_object("source", jsonb_build_object(
    'version', "version", 'source', "source", 'is_dev_dataset', "is_dev_dataset", 'observed_at', "observed_at",
    'changed_at', "changed_at"));
