-- Classes of funds by the lists of the SEC: the ticker and name of each, its asset, and when its filings were asked for.
CREATE TABLE "fund_class" (
    "class_id" TEXT NOT NULL,
    "series_id" TEXT NOT NULL,
    "cik" TEXT NOT NULL,
    "ticker" TEXT,
    "name" TEXT,
    "named_at" TIMESTAMPTZ(3),
    "unlisted_on" DATE,
    "asset_id" INTEGER,
    "filings_asked_at" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,

    CONSTRAINT "fund_class_pkey" PRIMARY KEY ("class_id")
);

CREATE UNIQUE INDEX "fund_class_asset_id_key" ON "fund_class"("asset_id");
