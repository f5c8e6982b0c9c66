-- Which node delivers the webhooks of which accounts. New tables; `lane_node` is locked for milliseconds, and earlier releases
-- write it without a name.
ALTER TABLE "lane_node" ADD COLUMN "name" TEXT NOT NULL DEFAULT '';

CREATE TABLE "webhook_node" (
    "node" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_node_pkey" PRIMARY KEY ("node")
);

CREATE TABLE "webhook_shard" (
    "shard" INTEGER NOT NULL,
    "shards" INTEGER NOT NULL,
    "node" UUID,
    "term" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_shard_pkey" PRIMARY KEY ("shard")
);
