-- Accounts with different passwords may share an e-mail, and the salt of passwords is made from the e-mail.
-- DropIndex
DROP INDEX "account_email_key";

-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "login_salt" BYTEA;

-- CreateIndex
CREATE UNIQUE INDEX "account_email_password_hash_key" ON "account"("email", "password_hash");
