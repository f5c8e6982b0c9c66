-- Locks: "api_key" against all for milliseconds, and against writes while the index is built, less than a second per million keys.
-- The key whose request made a key, so that revoking the first ends the second.
ALTER TABLE "api_key" ADD COLUMN "maker_key_id" UUID;

CREATE INDEX "api_key_maker_key_id_idx" ON "api_key"("maker_key_id");
