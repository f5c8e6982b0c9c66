-- Logins of accounts to the schema star_public. Roles belong to the whole server, so they are made when asked for.
CREATE TABLE "sql_credential" (
    "credential_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "role_name" TEXT NOT NULL,
    "label" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "sql_credential_pkey" PRIMARY KEY ("credential_id"),
    CONSTRAINT "sql_credential_role_name_check" CHECK ("role_name" ~ '^sql_[0-9a-f]{8}$'),
    CONSTRAINT "sql_credential_label_check" CHECK (char_length("label") BETWEEN 1 AND 100),
    CONSTRAINT "sql_credential_expires_check" CHECK ("expires_at" > "created_at")
);

CREATE UNIQUE INDEX "sql_credential_role_name_key" ON "sql_credential"("role_name");

CREATE INDEX "sql_credential_account_id_created_at_idx" ON "sql_credential"("account_id", "created_at");

ALTER TABLE "sql_credential" ADD CONSTRAINT "sql_credential_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("account_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand: the schema that the roles read; its views have migrations of their own.
CREATE SCHEMA IF NOT EXISTS "star_public";
