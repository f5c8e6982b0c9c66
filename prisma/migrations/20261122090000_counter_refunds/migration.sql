-- Both figures only rise: with refunds the units taken in a month can pass the range of an integer.
-- AlterTable
ALTER TABLE "rate_counter" ADD COLUMN     "refunded" BIGINT NOT NULL DEFAULT 0,
ALTER COLUMN "points" SET DATA TYPE BIGINT;
