-- Rows that are there are checked by the next migration, which locks nobody out meanwhile.
ALTER TABLE "analysis_snapshot" ADD CONSTRAINT "analysis_snapshot_supersedes_fkey" FOREIGN KEY ("supersedes") REFERENCES "analysis_snapshot"("snapshot_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "analysis_change" ADD CONSTRAINT "analysis_change_from_snapshot_id_fkey" FOREIGN KEY ("from_snapshot_id") REFERENCES "analysis_snapshot"("snapshot_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "analysis_change" ADD CONSTRAINT "analysis_change_to_snapshot_id_fkey" FOREIGN KEY ("to_snapshot_id") REFERENCES "analysis_snapshot"("snapshot_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "asset_contract" ADD CONSTRAINT "asset_contract_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("asset_id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

ALTER TABLE "venue_symbol" ADD CONSTRAINT "venue_symbol_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("asset_id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

ALTER TABLE "news_article" ADD CONSTRAINT "news_article_news_source_id_fkey" FOREIGN KEY ("news_source_id") REFERENCES "news_source"("news_source_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "newsletter_delivery" ADD CONSTRAINT "newsletter_delivery_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("account_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "protocol_tvl" ADD CONSTRAINT "protocol_tvl_protocol_id_fkey" FOREIGN KEY ("protocol_id") REFERENCES "protocol"("protocol_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "protocol_economics" ADD CONSTRAINT "protocol_economics_protocol_id_fkey" FOREIGN KEY ("protocol_id") REFERENCES "protocol"("protocol_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_diff_id_fkey" FOREIGN KEY ("diff_id") REFERENCES "analysis_change"("diff_id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
