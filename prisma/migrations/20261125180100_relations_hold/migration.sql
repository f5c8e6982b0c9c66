-- Reads and writes go on while the rows are checked.
ALTER TABLE "analysis_snapshot" VALIDATE CONSTRAINT "analysis_snapshot_supersedes_fkey";
ALTER TABLE "analysis_change" VALIDATE CONSTRAINT "analysis_change_from_snapshot_id_fkey";
ALTER TABLE "analysis_change" VALIDATE CONSTRAINT "analysis_change_to_snapshot_id_fkey";
ALTER TABLE "asset_contract" VALIDATE CONSTRAINT "asset_contract_asset_id_fkey";
ALTER TABLE "venue_symbol" VALIDATE CONSTRAINT "venue_symbol_asset_id_fkey";
ALTER TABLE "news_article" VALIDATE CONSTRAINT "news_article_news_source_id_fkey";
ALTER TABLE "newsletter_delivery" VALIDATE CONSTRAINT "newsletter_delivery_account_id_fkey";
ALTER TABLE "protocol_tvl" VALIDATE CONSTRAINT "protocol_tvl_protocol_id_fkey";
ALTER TABLE "protocol_economics" VALIDATE CONSTRAINT "protocol_economics_protocol_id_fkey";
ALTER TABLE "webhook_delivery" VALIDATE CONSTRAINT "webhook_delivery_diff_id_fkey";
