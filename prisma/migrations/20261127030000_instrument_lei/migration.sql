-- Holdings of funds are matched with assets by ISIN, FIGI, LEI or ticker; without one of the indexes each holding reads all assets.
CREATE INDEX "instrument_lei_idx" ON "instrument"("lei");
