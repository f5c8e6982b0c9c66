-- Which node runs the jobs of which datasets. New tables, which no other process uses.
CREATE TABLE "schedule_node" (
    "node" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "schedule_node_pkey" PRIMARY KEY ("node")
);

CREATE TABLE "schedule_shard" (
    "shard" INTEGER NOT NULL,
    "shards" INTEGER NOT NULL,
    "node" UUID,
    "term" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "schedule_shard_pkey" PRIMARY KEY ("shard")
);
