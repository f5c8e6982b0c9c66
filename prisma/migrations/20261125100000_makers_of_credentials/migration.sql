-- SQL credentials and webhooks belong to the key that made them and end with it. Of older SQL credentials the key is not known:
-- they belong to the account alone.
-- AlterTable
ALTER TABLE "sql_credential" ADD COLUMN "key_id" UUID;

-- AddForeignKey
ALTER TABLE "sql_credential" ADD CONSTRAINT "sql_credential_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;
