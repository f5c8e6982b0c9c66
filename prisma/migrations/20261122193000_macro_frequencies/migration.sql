-- Series of weeks and of halves of months and years.
ALTER TABLE "macro_series" DROP CONSTRAINT "macro_series_frequency_check";
ALTER TABLE "macro_series"
    ADD CONSTRAINT "macro_series_frequency_check"
    CHECK ("frequency" IN ('annual', 'semi_annual', 'quarterly', 'monthly', 'semi_monthly', 'weekly', 'daily'));
