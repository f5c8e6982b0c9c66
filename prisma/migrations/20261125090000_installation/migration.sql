-- What the database has been used for, the secrets that its nodes share, and the public keys of analysis snapshots.
-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "production_since" TIMESTAMPTZ(3),

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "installation_secret" (
    "name" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "installation_secret_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "snapshot_signing_key" (
    "key_id" TEXT NOT NULL,
    "x" TEXT NOT NULL,
    "seal" TEXT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "snapshot_signing_key_pkey" PRIMARY KEY ("key_id")
);
