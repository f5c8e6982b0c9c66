import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRelease } from '../../../src/domains/releases/check-release.js'
import { MANIFEST_FILE, SEAL_FILE } from '../../../src/domains/releases/manifest.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { newPlace, SIGNED, writeTo } from './written-release.js'

// A check reads files only, which are the same on both databases.
describe('releases', { timeout: 240_000 }, () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  afterAll(() => database?.close())

  it('are found changed, whatever was changed', async () => {
    const place = await newPlace()
    const { place: written, manifest } = await writeTo(place, database, 'commodities')
    const failed = async (change: (copy: string) => void, options = SIGNED) => {
      const copy = join(place, `copy-${Math.random()}`)
      cpSync(written, copy, { recursive: true })
      change(copy)
      const checks = await checkRelease(copy, options)
      return checks.filter(({ passed }) => !passed).map(({ check }) => check)
    }
    const [file] = manifest.files
    const edit = (name: string, from: string | RegExp, to: string) => (copy: string) => {
      const text = readFileSync(join(copy, name), 'utf8')
      expect(text).toMatch(from)
      writeFileSync(join(copy, name), text.replace(from, to))
    }
    expect(await failed(() => {})).toEqual([])
    expect(await failed((copy) => writeFileSync(join(copy, file?.name ?? ''), 'x'))).toEqual(['files'])
    expect(await failed(edit(MANIFEST_FILE, /USD per unit/, 'EUR per unit'))).toEqual([
      'content_hash',
      'signature',
    ])
    expect(await failed(edit(MANIFEST_FILE, /^\{/, '{ '))).toEqual(['manifest', 'content_hash', 'signature'])
    expect(await failed(edit(SEAL_FILE, /"signature":"./, '"signature":"_'))).toEqual(['signature'])
    expect(await failed(edit(SEAL_FILE, /"signature":"[^"]+"/, '"signature":null'))).toEqual(['signature'])
    expect(await failed(() => {}, { keys: [], mustBeSigned: true })).toEqual(['signature'])
    expect(await failed(edit(MANIFEST_FILE, /"rows":\d+/, '"rows":1'))).toContain('rows')
    await expect(
      failed(edit(MANIFEST_FILE, /"name":"\d+\.parquet"/, '"name":"../../x.parquet"')),
    ).rejects.toThrow()
    await rm(place, { recursive: true })
  })

  it('have consensus prices that follow from their sources', async () => {
    // All rows are computed again twice. The days of one year are enough for that.
    await database.rows(`delete from candle where ts < '2025-10-01Z'`)
    const place = await newPlace()
    const { place: written, manifest } = await writeTo(place, database, 'candles')
    const pricesOf = async (copy: string, prices?: number) =>
      (await checkRelease(copy, { keys: [], mustBeSigned: false, ...(prices && { prices }) })).find(
        ({ check }) => check === 'prices',
      )
    expect(await pricesOf(written)).toEqual({
      check: 'prices',
      passed: true,
      note: `1000 of ${manifest.rows} rows computed again`,
    })
    expect(await pricesOf(written, Number.MAX_SAFE_INTEGER)).toEqual({
      check: 'prices',
      passed: true,
      note: `${manifest.rows} of ${manifest.rows} rows computed again`,
    })
    // A forger changes one price, and writes the hashes and the seal again.
    const changeBy = (factor: string) =>
      database.rows(
        `update candle set vwap_usd = vwap_usd ${factor} where asset_id = 1 and timeframe = '1d' and ts = '2026-10-08Z'`,
      )
    await changeBy('* 2')
    const forgery = await newPlace()
    const { place: forged } = await writeTo(forgery, database, 'candles')
    await changeBy('/ 2')
    const checks = await checkRelease(forged, { ...SIGNED, prices: Number.MAX_SAFE_INTEGER })
    expect(checks.filter(({ passed }) => !passed)).toEqual([
      {
        check: 'prices',
        passed: false,
        note: expect.stringMatching(
          /^2026-10.parquet, row \d+: asset 1, 1d, 2026-10-08T00:00:00.000Z has another price than its sources give$/,
        ),
      },
    ])
    await rm(place, { recursive: true })
    await rm(forgery, { recursive: true })
  })
})
