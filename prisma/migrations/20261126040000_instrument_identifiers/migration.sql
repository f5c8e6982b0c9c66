-- Assets are named by FIGI and ISIN.
CREATE INDEX "instrument_isin_idx" ON "instrument"("isin");
CREATE INDEX "instrument_figi_idx" ON "instrument"("figi");
