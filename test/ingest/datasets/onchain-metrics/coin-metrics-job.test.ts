import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { loadAssetsBySlug } from '../../../../src/domains/assets/store.js'
import {
  COIN_METRICS_ASSETS,
  coinMetricsGroup,
} from '../../../../src/ingest/datasets/onchain-metrics/coin-metrics-group.js'
import { IngestError } from '../../../../src/ingest/feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { PROVIDER_HOSTS } from '../../../../src/platform/http-client/provider-addresses.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'
import { runGroup } from '../../../support/ingest/run-group.js'

describe('the job of Coin Metrics', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  afterAll(() => database?.close())

  it('requests a file of each asset of the reference; a failing one does not stop the others', async () => {
    const assets = await loadAssetsBySlug(database, COIN_METRICS_ASSETS)
    expect(assets.size).toBe(COIN_METRICS_ASSETS.length)
    const asked: URL[] = []
    const deps = {
      database,
      clock: fixedClock(SEEDED_AT),
      downloadBody: async ({ url }: { readonly url: string }, path: string) => {
        asked.push(new URL(url))
        if (url.endsWith('xlm.csv')) throw new IngestError('status 404')
        await writeFile(path, 'time,TxCnt\n2026-11-18,5\n')
      },
    }
    const summary = await runGroup(coinMetricsGroup, deps)
    expect(summary).toMatchObject({
      done: COIN_METRICS_ASSETS.length - 1,
      added: COIN_METRICS_ASSETS.length - 1,
    })
    expect(summary.failed).toEqual([{ name: 'stellar', reason: 'status 404' }])
    expect(new Set(asked.map(({ host }) => host))).toEqual(new Set(PROVIDER_HOSTS.coinmetrics))
    expect(asked.map(({ pathname }) => pathname)).toContain('/coinmetrics/data/master/csv/bch.csv')
  })
})
