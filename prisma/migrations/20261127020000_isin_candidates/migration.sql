-- ISINs of holdings of funds, and the FIGI that OpenFIGI has for each. An asset gets the ISIN that has its FIGI.
CREATE TABLE "isin_candidate" (
    "isin" TEXT NOT NULL,
    "figi" TEXT,
    "asked_at" TIMESTAMPTZ(3),

    CONSTRAINT "isin_candidate_pkey" PRIMARY KEY ("isin")
);

CREATE INDEX "isin_candidate_figi_idx" ON "isin_candidate"("figi");
