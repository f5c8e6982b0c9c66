-- The pepper of each digest, so that a rotation of KEY_PEPPER knows which keys are left. Null for keys of earlier versions until
-- their next use; those versions do not read the column. Locks the table for an instant: no row is rewritten.
ALTER TABLE "api_key" ADD COLUMN "pepper_id" TEXT;
