-- Which node requests the bars of which assets, and how far the bars of each pair are loaded.
CREATE TABLE "lane_node" (
    "node" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "lanes" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "lane_node_pkey" PRIMARY KEY ("node")
);

CREATE TABLE "lane_shard" (
    "shard" INTEGER NOT NULL,
    "shards" INTEGER NOT NULL,
    "node" UUID,
    "term" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lane_shard_pkey" PRIMARY KEY ("shard")
);

CREATE TABLE "venue_rate" (
    "venue" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "venue_rate_pkey" PRIMARY KEY ("venue")
);

CREATE TABLE "venue_coverage" (
    "asset_id" INTEGER NOT NULL,
    "venue" TEXT NOT NULL,
    "is_listed" BOOLEAN NOT NULL,
    "covered_to" TIMESTAMPTZ(3),
    "asked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "venue_coverage_pkey" PRIMARY KEY ("asset_id", "venue")
);
