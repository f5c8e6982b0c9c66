-- Names each commit of a dataset: versions of two databases are alike, and so are those of a database and its backup.
ALTER TABLE "dataset_state" ADD COLUMN "commit_id" UUID NOT NULL DEFAULT gen_random_uuid();
