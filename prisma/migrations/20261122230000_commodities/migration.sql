-- Prices of commodities, bi-temporal.
CREATE TABLE "commodity_price" (
    "symbol" TEXT NOT NULL,
    "price_date" DATE NOT NULL,
    "source" TEXT NOT NULL,
    "price_usd" DECIMAL(65,30) NOT NULL,
    "known_from" TIMESTAMPTZ(3) NOT NULL,
    "known_to" TIMESTAMPTZ(3),

    CONSTRAINT "commodity_price_pkey" PRIMARY KEY ("symbol","price_date","source","known_from"),
    CONSTRAINT "commodity_price_price_usd_check" CHECK ("price_usd" > 0),
    CONSTRAINT "commodity_price_known_check" CHECK ("known_to" > "known_from")
);

-- By hand: one current row of each source, month and commodity; the newest is found from its end.
CREATE UNIQUE INDEX "commodity_price_current_key" ON "commodity_price"("symbol", "price_date", "source") INCLUDE ("price_usd") WHERE "known_to" IS NULL;
