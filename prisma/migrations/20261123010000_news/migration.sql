CREATE TYPE "mention_match" AS ENUM ('name', 'ticker');

-- Editors whose articles were read.
CREATE TABLE "news_source" (
    "news_source_id" TEXT NOT NULL,
    "editor" TEXT NOT NULL,
    "editor_normalized" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "loaded_at" TIMESTAMPTZ(3) NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "news_source_pkey" PRIMARY KEY ("news_source_id"),
    CONSTRAINT "news_source_seen" CHECK ("last_seen_at" >= "first_seen_at")
);

CREATE UNIQUE INDEX "news_source_editor_normalized_key" ON "news_source"("editor_normalized");

-- Headlines; one current row per article.
CREATE TABLE "news_article" (
    "article_hk" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "link" TEXT NOT NULL,
    "news_source_id" TEXT NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,
    "feed" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "news_article_pkey" PRIMARY KEY ("article_hk","known_from"),
    CONSTRAINT "news_article_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "news_article_link" CHECK ("link" ~ '^https?://')
);

CREATE UNIQUE INDEX "news_article_current_key" ON "news_article"("article_hk") WHERE "known_to" IS NULL;
CREATE INDEX "news_article_current_published" ON "news_article"("published_at") WHERE "known_to" IS NULL;
CREATE INDEX "news_article_current_source" ON "news_article"("news_source_id") WHERE "known_to" IS NULL;

-- Assets that headlines name; one current row per article and asset.
CREATE TABLE "news_mention" (
    "article_hk" TEXT NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "matched_by" "mention_match",
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "news_mention_pkey" PRIMARY KEY ("article_hk","asset_id","known_from"),
    CONSTRAINT "news_mention_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "news_mention_withdrawn" CHECK ("is_withdrawn" = ("matched_by" IS NULL))
);

CREATE UNIQUE INDEX "news_mention_current_key" ON "news_mention"("article_hk", "asset_id") WHERE "known_to" IS NULL;
CREATE INDEX "news_mention_current_asset" ON "news_mention"("asset_id") WHERE "known_to" IS NULL AND NOT "is_withdrawn";

-- Dated events; one current row per event.
CREATE TABLE "asset_event" (
    "event_hk" TEXT NOT NULL,
    "event_type" TEXT,
    "event_date" DATE,
    "title" TEXT,
    "description" TEXT,
    "url" TEXT,
    "reported_by" TEXT,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "asset_event_pkey" PRIMARY KEY ("event_hk","known_from"),
    CONSTRAINT "asset_event_known" CHECK ("known_to" > "known_from"),
    CONSTRAINT "asset_event_url" CHECK ("url" ~ '^https?://'),
    CONSTRAINT "asset_event_withdrawn" CHECK (
      CASE WHEN "is_withdrawn"
        THEN coalesce("event_type", "title", "description", "url", "reported_by") IS NULL AND "event_date" IS NULL
      ELSE "event_type" IS NOT NULL AND "event_date" IS NOT NULL AND "title" IS NOT NULL END)
);

CREATE UNIQUE INDEX "asset_event_current_key" ON "asset_event"("event_hk") WHERE "known_to" IS NULL;
CREATE INDEX "asset_event_current_date" ON "asset_event"("event_date") WHERE "known_to" IS NULL AND NOT "is_withdrawn";

-- Assets that events are about; one current row per event and asset.
CREATE TABLE "asset_event_asset" (
    "event_hk" TEXT NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "asset_event_asset_pkey" PRIMARY KEY ("event_hk","asset_id","known_from"),
    CONSTRAINT "asset_event_asset_known" CHECK ("known_to" > "known_from")
);

CREATE UNIQUE INDEX "asset_event_asset_current_key" ON "asset_event_asset"("event_hk", "asset_id") WHERE "known_to" IS NULL;
CREATE INDEX "asset_event_asset_current_asset" ON "asset_event_asset"("asset_id") WHERE "known_to" IS NULL AND NOT "is_withdrawn";
