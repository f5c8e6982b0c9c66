-- What a history shows of each content, so that a page of it neither sends nor parses the contents.
ALTER TABLE "analysis_snapshot"
    ADD COLUMN "summary" TEXT GENERATED ALWAYS AS ("content"::jsonb ->> 'summary') STORED,
    ADD COLUMN "sentiment_score" DOUBLE PRECISION
        GENERATED ALWAYS AS (("content"::jsonb ->> 'sentiment_score')::double precision) STORED;
