import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CandleRow } from '../../src/domains/market/store.js'
import { seedWorld } from '../../src/ingest/seed/seed-world.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { candleOf, commitCandles, quotesAround } from '../domains/market/made-candles.js'
import { startTestApp, type TestApp } from '../support/app/app.js'
import {
  copyEmbeddedWorld,
  openTestDatabase,
  quickestDatabase,
  SEEDED_AT,
} from '../support/database/database.js'
import { type Printed, runScript } from '../support/processes/run-script.js'

const ts = (text: string) => new Date(`${text}T00:00:00Z`)
const good = candleOf({ assetId: 1, timeframe: '1d', ts: ts('2026-11-18') }, quotesAround(68_123.45))
/** A price that its sources do not give, and a venue left out that belongs in. */
const wrongPrice: CandleRow = { ...good, ts: ts('2026-11-17'), vwapUsd: '68123' }
const wrongExclusion: CandleRow = {
  ...good,
  ts: ts('2026-11-16'),
  sources: good.sources.map((source) =>
    source.venue === 'okx' ? { ...source, exclusion: 'outlier', weight: null } : source,
  ),
}

let home: string
let dataDir: string
let database: Database
let app: TestApp
let key: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-verify-'))
  dataDir = join(home, 'data')
  await copyEmbeddedWorld('empty', dataDir)
  const stored = await openDatabase({ kind: 'embedded', directory: dataDir })
  await seedWorld(stored, SEEDED_AT, ['instruments'])
  await commitCandles(stored, [good, wrongPrice, wrongExclusion], SEEDED_AT)
  await stored.close()
  database = await openTestDatabase(quickestDatabase())
  await seedWorld(database, SEEDED_AT, ['instruments'])
  await commitCandles(database, [good], SEEDED_AT)
  app = await startTestApp(quickestDatabase(), { database })
  key = await app.newKey({ tier: 'growth' })
})
afterAll(async () => {
  await app?.close()
  await database?.close()
  await rm(home, { recursive: true, force: true })
})

function verify(...args: readonly string[]): Promise<Printed> {
  const { DATABASE_URL: _, ...env } = process.env
  const own = { NODE_ENV: 'development', DATA_DIR: dataDir }
  return runScript('src/commands/verify.ts', ['consensus', ...args], { ...env, ...own })
}

describe('npm run verify -- consensus', { timeout: 120_000 }, () => {
  it('recomputes the published price from the database, with every venue and its rule', async () => {
    const { code, out, err } = await verify('bitcoin', '2026-11-18')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(`published   ${good.vwapUsd}\nrecomputed  ${good.vwapUsd}`)
    expect(out).toMatch(/kraken .* outlier\n/)
    expect(out.endsWith('match\n')).toBe(true)
  })

  it('reports a price that differs from its sources', async () => {
    const { code, out } = await verify('bitcoin', '2026-11-17', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual({
      asset: 'bitcoin',
      timeframe: '1d',
      ts: '2026-11-17T00:00:00.000Z',
      methodology_version: 'vwap-consensus-1',
      published_usd: '68123',
      recomputed_usd: good.vwapUsd,
      consensus_usd: good.vwapUsd,
      differing_venues: [],
      match: false,
    })
  })

  it('reports a venue that was excluded against the rules', async () => {
    const { code, out } = await verify('bitcoin', '2026-11-16')
    expect(code).toBe(1)
    expect(out).toContain('by the rules, okx has another weight or exclusion')
    expect(out.endsWith('MISMATCH\n')).toBe(true)
  })

  it('reads from a gateway', async () => {
    const gateway = ['--url', app.url, '--key', key]
    const { code, out } = await verify('bitcoin', '2026-11-18', '--json', ...gateway)
    expect([code, JSON.parse(out)]).toMatchObject([0, { published_usd: good.vwapUsd, match: true }])
    const missing = await verify('bitcoin', '2026-11-17', ...gateway)
    expect([missing.code, missing.out]).toEqual([2, ''])
    expect(missing.err).toContain('No 1d candle of bitcoin from 2026-11-17')
  })

  it.each([
    [['bitcoin'], 'give consensus, an asset and the start of a window'],
    [['bitcoin', 'yesterday'], 'TS must be a day or an instant with its zone; got "yesterday"'],
    [['bitcoin', '2026-11-18', '--timeframe', '5m'], '--timeframe must be 1h or 1d'],
    [['bitcoin', '2026-11-18', '--url', 'http://127.0.0.1:1'], 'give both --url and --key, or neither'],
    [['no-such', '2026-11-18'], 'unknown asset "no-such"'],
    [['bitcoin', '2020-01-01'], 'the candle of bitcoin, 1d, 2020-01-01T00:00:00.000Z is not stored'],
  ])('reports why %j cannot be checked', async (args, message) => {
    const { code, out, err } = await verify(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
  })
})
