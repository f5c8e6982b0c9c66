-- How each supply was found out.
ALTER TABLE "asset_supply" ADD COLUMN "methodology" TEXT;
