-- Locks: "webhook" against all for milliseconds, while its rows are checked.
-- A gateway in development also sends to http://localhost; which addresses are allowed is checked when they are stored and at each attempt.
ALTER TABLE "webhook" DROP CONSTRAINT "webhook_url_check",
    ADD CONSTRAINT "webhook_url_check" CHECK ("url" ~* '^https?:' AND char_length("url") <= 2048);
