-- Sanctions screening: legal entities as lists know them, their designations, and legal names by LEI; all bi-temporal.

-- CreateTable
CREATE TABLE "sanctions_subject" (
    "list" TEXT NOT NULL,
    "section" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "leis" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "name" TEXT,
    "is_listed" BOOLEAN NOT NULL DEFAULT false,
    "lists" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "programs" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "listed_on" DATE,
    "referents" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "sanctions_subject_pkey" PRIMARY KEY ("list","section","subject_id","known_from")
);

-- CreateTable
CREATE TABLE "sanctions_listing" (
    "list" TEXT NOT NULL,
    "listing_id" TEXT NOT NULL,
    "subject_id" TEXT,
    "programs" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "lists" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "listed_on" DATE,
    "ended_on" DATE,
    "is_withdrawn" BOOLEAN NOT NULL DEFAULT false,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "sanctions_listing_pkey" PRIMARY KEY ("list","listing_id","known_from")
);

-- CreateTable
CREATE TABLE "legal_entity" (
    "lei" TEXT NOT NULL,
    "legal_name" TEXT NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "legal_entity_pkey" PRIMARY KEY ("lei","known_from")
);

-- CreateIndex
CREATE INDEX "sanctions_subject_leis_idx" ON "sanctions_subject" USING GIN ("leis");

-- CreateIndex
CREATE INDEX "sanctions_listing_list_subject_id_idx" ON "sanctions_listing"("list", "subject_id");

-- By hand: one current row for each key.
CREATE UNIQUE INDEX "sanctions_subject_current_key" ON "sanctions_subject"("list", "section", "subject_id") WHERE "known_to" IS NULL;
CREATE UNIQUE INDEX "sanctions_listing_current_key" ON "sanctions_listing"("list", "listing_id") WHERE "known_to" IS NULL;
CREATE UNIQUE INDEX "legal_entity_current_key" ON "legal_entity"("lei") INCLUDE ("legal_name") WHERE "known_to" IS NULL;

ALTER TABLE "sanctions_subject"
    ADD CONSTRAINT "sanctions_subject_known_check" CHECK ("known_to" > "known_from");
ALTER TABLE "sanctions_listing"
    ADD CONSTRAINT "sanctions_listing_known_check" CHECK ("known_to" > "known_from");
ALTER TABLE "legal_entity"
    ADD CONSTRAINT "legal_entity_known_check" CHECK ("known_to" > "known_from");
