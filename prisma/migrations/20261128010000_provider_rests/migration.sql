-- Locks: "venue_rate" against all for milliseconds.
-- Until when a provider gets no requests, because it blocks the address of the installation or asked for a pause.
ALTER TABLE "venue_rate" ADD COLUMN "rests_until" TIMESTAMPTZ(3), ADD COLUMN "rest_cause" TEXT;
