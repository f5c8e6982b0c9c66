-- Open, high, low and volume of a trading day; null where the source states only the close, as all rows until now.
ALTER TABLE "daily_price"
    ADD COLUMN "open" DECIMAL(20,8),
    ADD COLUMN "high" DECIMAL(20,8),
    ADD COLUMN "low" DECIMAL(20,8),
    ADD COLUMN "volume" BIGINT;

-- By hand: a missing price does not count (LEAST and GREATEST ignore nulls).
ALTER TABLE "daily_price"
    ADD CONSTRAINT "daily_price_open_check" CHECK ("open" > 0),
    ADD CONSTRAINT "daily_price_low_check" CHECK ("low" > 0 AND "low" <= LEAST("open", "high", "close")),
    ADD CONSTRAINT "daily_price_high_check" CHECK ("high" >= GREATEST("open", "low", "close")),
    ADD CONSTRAINT "daily_price_volume_check" CHECK ("volume" >= 0);

-- What remains of the value of a share after a spin-off, per value before it; null if unknown and for other actions.
ALTER TABLE "corporate_action" ADD COLUMN "value_ratio" DECIMAL;
ALTER TABLE "corporate_action"
    ADD CONSTRAINT "corporate_action_value_ratio_check" CHECK ("value_ratio" > 0 AND "value_ratio" < 1);
