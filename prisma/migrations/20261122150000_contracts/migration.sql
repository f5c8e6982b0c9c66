-- The contract of a token, from which its supply is read.
CREATE TABLE "asset_contract" (
    "asset_id" INTEGER NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "asset_contract_pkey" PRIMARY KEY ("asset_id"),
    CONSTRAINT "asset_contract_address" CHECK ("address" ~ '^0x[0-9a-f]{40}$')
);
