-- When the FIGI of a listing was asked for, so that a run goes on where the one before ended.
ALTER TABLE "instrument" ADD COLUMN "figi_asked_at" TIMESTAMPTZ(3);
