import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

/** Each relation of the models: the column, and what it refers to. */
const RELATIONS = [
  'analysis_change.from_snapshot_id → analysis_snapshot',
  'analysis_change.to_snapshot_id → analysis_snapshot',
  'analysis_snapshot.supersedes → analysis_snapshot',
  'api_key.account_id → account',
  'asset_contract.asset_id → asset',
  'etf_holding.report_id → etf_report',
  'instrument.asset_id → asset',
  'instrument.issuer_asset_id → asset',
  'news_article.news_source_id → news_source',
  'newsletter_delivery.account_id → account',
  'newsletter_delivery.issue_id → newsletter_issue',
  'newsletter_subscription.account_id → account',
  'protocol_economics.protocol_id → protocol',
  'protocol_tvl.protocol_id → protocol',
  'sql_credential.account_id → account',
  'sql_credential.key_id → api_key',
  'venue_symbol.asset_id → asset',
  'webhook.account_id → account',
  'webhook.key_id → api_key',
  'webhook_delivery.action_change_id → corporate_action_change',
  'webhook_delivery.analysis_change_id → analysis_change',
  'webhook_delivery.webhook_id → webhook',
]

describe.each(availableDatabases())('the relations of the tables on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  it('are foreign keys that hold for every row', async () => {
    const found = await database.rows<{ relation: string; holds: boolean }>(
      `select format('%s.%s → %s', k.conrelid::regclass, a.attname, k.confrelid::regclass) as relation,
         k.convalidated as holds
       from pg_constraint as k join pg_attribute as a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
       where k.contype = 'f' order by 1`,
    )
    expect(found).toEqual(RELATIONS.map((relation) => ({ relation, holds: true })))
  })

  it('delete the contract and the symbols of an asset with it', async () => {
    const { asset, assetContract, venueSymbol } = database.prisma
    const assetId = 1
    const now = new Date()
    const named = { slug: 'a', ticker: 'A', name: 'A', assetClass: 'crypto' } as const
    await asset.create({ data: { assetId, ...named, lastUpdated: now, source: 'x' } })
    await assetContract.create({ data: { assetId, chainId: 1, address: `0x${'0'.repeat(40)}`, source: 'x' } })
    await venueSymbol.create({ data: { assetId, venue: 'kraken', symbol: 'AUSD', source: 'x' } })
    await asset.delete({ where: { assetId } })
    expect([await assetContract.count(), await venueSymbol.count()]).toEqual([0, 0])
  })
})
