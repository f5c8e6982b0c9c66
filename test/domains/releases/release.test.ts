import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRelease } from '../../../src/domains/releases/check-release.js'
import { SEAL_FILE } from '../../../src/domains/releases/manifest.js'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import { writeRelease } from '../../../src/domains/releases/write-release.js'
import type { Database } from '../../../src/platform/database/database.js'
import { queryFiles } from '../../support/columnar-files.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { newPlace, SIGNED, tableOf, writeTo } from './written-release.js'

describe.each(availableDatabases())('releases on %s', (kind) => {
  let database: Database
  let directory: string
  const write = (dataset: string, place = directory) => writeTo(place, database, dataset)

  beforeAll(async () => {
    directory = await newPlace()
    database = await openTestDatabase(kind, 'seeded')
    // Most of two years of candles show nothing more; release-rows.test.ts writes them all.
    await database.rows(`delete from candle where ts < '2026-08-01Z'`)
  })
  afterAll(async () => {
    await database?.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('say what the rows are: terms, units, method, synthetic, gaps', async () => {
    const { manifest } = await write('candles')
    expect(manifest).toMatchObject({
      format: 'market-data-gateway-release/1',
      dataset: 'candles',
      known_at: '2026-11-20T12:00:00.000Z',
      is_dev_dataset: true,
      sorted_by: ['asset_id', 'timeframe', 'ts', 'known_from'],
      sources: [{ source: 'seed', licence: 'None needed: the figures are made up', rows: manifest.rows }],
      left_out: [],
      predecessor: null,
    })
    expect(manifest.schema).toContainEqual({
      name: 'vwap_usd',
      type: 'number',
      unit: 'USD',
      description: 'Consensus price, 15 significant digits; null with too few sources.',
    })
    expect(manifest.methodology_versions.length).toBeGreaterThan(0)
    expect(manifest.files.map(({ rows }) => rows).reduce((a, b) => a + b)).toBe(manifest.rows)
  })

  it('after a revision change no old byte, share the files that did not change, and name the one before', async () => {
    const place = await newPlace()
    const before = await write('forex', place)
    const bytes = before.manifest.files.map(({ name }) => readFileSync(join(before.place, name)))
    // A late revision of a rate of the newest year.
    const instant = new Date('2026-11-20T13:00:00Z')
    await database.transaction(async (tx) => {
      const [row] = await tx.rows(
        `update forex_rate set known_to = $1 where quote = 'USD' and known_to is null
           and date = (select max(date) from forex_rate) returning date::text, rate::text`,
        [instant],
      )
      const { date, rate } = row as { readonly date: string; readonly rate: string }
      await tx.rows(
        `insert into forex_rate (quote, date, rate, known_from, source) values ('USD', $1::date, $2::numeric + 1, $3, 'seed')`,
        [date, rate, instant],
      )
      await tx.rows(
        `update dataset_state set version = version + 1, changed_at = $1, commit_id = gen_random_uuid()
        where dataset = 'forex'`,
        [instant],
      )
    })
    const after = await write('forex', place)
    expect(after.isNew).toBe(true)
    expect(after.manifest.predecessor).toEqual({
      release_id: before.seal.release_id,
      content_hash: before.seal.content_hash,
    })
    expect(after.manifest.rows).toBe(before.manifest.rows + 1)
    expect(before.manifest.files.map(({ name }) => readFileSync(join(before.place, name)))).toEqual(bytes)
    const changed = after.manifest.files.filter(
      ({ name, sha256 }) => !before.manifest.files.some((old) => old.name === name && old.sha256 === sha256),
    )
    expect(changed.map(({ name }) => name)).toEqual(['2026.parquet'])
    for (const { name } of after.manifest.files.filter((file) => !changed.includes(file)))
      expect(statSync(join(after.place, name)).ino).toBe(statSync(join(before.place, name)).ino)
    expect(after.sharedBytes).toBe(after.manifest.bytes - (changed[0]?.bytes ?? 0))
    for (const { place: written } of [before, after])
      expect((await checkRelease(written, SIGNED)).filter(({ passed }) => !passed)).toEqual([])
    // What was known at the first release, from the second one.
    const known = `known_from <= '2026-11-20T12:00:00Z' and (known_to is null or known_to > '2026-11-20T12:00:00Z')`
    const read = (directory: string) =>
      queryFiles(directory, `select quote, date, rate from '*.parquet' where ${known} order by quote, date`)
    expect(await read(after.place)).toEqual(await read(before.place))
    await rm(place, { recursive: true })
  })

  it('list missing sessions of a listing, by the calendar of its market', async () => {
    const place = await newPlace()
    const [listing] = await database.rows(
      `select instrument_id as id from daily_price join instrument using (instrument_id) where mic = 'XNAS' order by 1 limit 1`,
    )
    const { id } = listing as { readonly id: number }
    await database.rows(
      `delete from daily_price where instrument_id = $1 and date in ('2026-11-10', '2026-11-11')`,
      [id],
    )
    const { manifest } = await write('prices', place)
    expect(manifest.gaps.filter(({ series, to }) => series === String(id) && to > '2026-11-05')).toEqual([
      {
        series: String(id),
        from: '2026-11-10',
        to: '2026-11-11',
        missing: 2,
        reason: 'sessions of XNAS without a row',
      },
    ])
    await rm(place, { recursive: true })
  })

  it('leave out rows whose terms forbid passing on, and say so', async () => {
    const place = await newPlace()
    const revoked = `jsonb_set(jsonb_set(parts, '{seed,is_dev_dataset}', 'false'), '{seed,licensed_for_commercial_use}', 'false')`
    await database.rows(`update dataset_state set parts = ${revoked} where dataset = 'prices'`)
    await expect(write('prices', place)).rejects.toThrow('prices: no row may be released')
    await database.rows(
      `update daily_price set source = 'operator' where instrument_id = (select min(instrument_id) from daily_price)`,
    )
    const { manifest } = await write('prices', place)
    expect(manifest.sources.map(({ source }) => source)).toEqual(['operator'])
    expect(manifest.left_out).toMatchObject([
      { source: 'seed', reason: 'its terms do not allow commercial use' },
    ])
    await rm(place, { recursive: true })
  })

  it('list TARGET days without a rate', async () => {
    const place = await newPlace()
    await database.rows(`delete from forex_rate where date = '2026-11-17'`)
    const { manifest } = await write('forex', place)
    expect(manifest.gaps).toContainEqual({
      series: null,
      from: '2026-11-17',
      to: '2026-11-17',
      missing: 1,
      reason: 'a session of TARGET without a row',
    })
    await rm(place, { recursive: true })
  })

  it('list missing windows of a candle series', async () => {
    const place = await newPlace()
    const [asset] = await database.rows(`select min(asset_id) as id from candle`)
    const { id } = asset as { readonly id: number }
    await database.rows(
      `delete from candle where asset_id = $1 and timeframe = '1d' and ts in ('2026-11-10Z', '2026-11-11Z')`,
      [id],
    )
    const { manifest } = await write('candles', place)
    expect(manifest.gaps).toContainEqual({
      series: `${id} 1d`,
      from: '2026-11-09T00:00:00.000Z',
      to: '2026-11-12T00:00:00.000Z',
      missing: 2,
      reason: 'no row is stored between these two',
    })
    await rm(place, { recursive: true })
  })

  it('list missing periods of a series by its frequency, and say why', async () => {
    const place = await newPlace()
    const update = `from macro_series as s where s.series_id = o.series_id and s.series_key = 'Q.US.P.A.M.770.A'`
    await database.rows(
      `delete from macro_observation as o using macro_series as s
       where s.series_id = o.series_id and s.series_key = 'Q.US.P.A.M.770.A' and period_start = '2020-04-01'`,
    )
    await database.rows(
      `update macro_observation as o set value = null ${update} and period_start in ('2021-04-01', '2021-07-01')`,
    )
    await database.rows(
      `update macro_observation as o set is_withdrawn = true, value = null ${update} and period_start = '2020-07-01'`,
    )
    const { manifest } = await write('bis', place)
    const series = 'WS_TC Q.US.P.A.M.770.A'
    expect(manifest.gaps.filter((gap) => gap.series === series)).toEqual([
      {
        series,
        from: '2020-01-01',
        to: '2020-10-01',
        missing: 2,
        reason: 'no row, or no value of the provider, between these two',
      },
      {
        series,
        from: '2021-01-01',
        to: '2021-10-01',
        missing: 2,
        reason: 'the provider states no value between these two',
      },
    ])
    await rm(place, { recursive: true })
  })

  it('leave out rows that were derived from figures whose terms forbid passing on', async () => {
    const place = await newPlace()
    await database.rows(
      `update asset_fundamentals set price_source = 'venue' where asset_id = (select min(asset_id) from asset_fundamentals)`,
    )
    const part = `jsonb_build_object('venue', (parts -> 'seed') || '{"source": "venue", "is_dev_dataset": false, "licensed_for_commercial_use": false}')`
    await database.rows(`update dataset_state set parts = parts || ${part} where dataset = 'candles'`)
    const { manifest } = await write('asset_fundamentals', place)
    const [left] = await database.rows(
      `select count(*)::int as rows from asset_fundamentals where price_source = 'venue'`,
    )
    expect(manifest.left_out).toEqual([
      {
        source: 'seed',
        rows: (left as { readonly rows: number }).rows,
        reason: 'the terms of figures that they were derived from do not allow commercial use',
      },
    ])
    await rm(place, { recursive: true })
  })

  it('have prices of any size, with all their digits', async () => {
    const place = await newPlace()
    const [asset] = await database.rows(`select min(asset_id) as id from candle`)
    const { id } = asset as { readonly id: number }
    const set = async (price: string, volume: string, ts: string) =>
      database.rows(
        `update candle set vwap_usd = $2::numeric, volume_usd = $3::numeric where asset_id = $1 and timeframe = '1d' and ts = $4`,
        [id, price, volume, ts],
      )
    await set('0.000000000000123456789012345', '1234.56789012345', '2026-11-01Z')
    await set('123456789012345000000000000000', '1e30', '2026-11-02Z')
    const { place: written } = await write('candles', place)
    const rows = await queryFiles(
      written,
      `select vwap_usd, volume_usd from '*.parquet'
       where asset_id = ${id} and timeframe = '1d' and ts in ('2026-11-01 00:00:00+00', '2026-11-02 00:00:00+00') order by ts`,
    )
    expect(rows).toEqual([
      { vwap_usd: 1.23456789012345e-13, volume_usd: 1234.56789012345 },
      { vwap_usd: 1.23456789012345e29, volume_usd: 1e30 },
    ])
    await rm(place, { recursive: true })
  })

  it('that were interrupted are not visible, and the next run removes them', async () => {
    const place = await newPlace()
    const controller = new AbortController()
    const files: string[] = []
    const interrupted = writeRelease(
      {
        database,
        releases: createDirectoryReleases(place),
        signer: null,
        signal: controller.signal,
        onFile: ({ name }) => {
          files.push(name)
          controller.abort(new Error('interrupted'))
        },
      },
      tableOf('candles'),
    )
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(files).toHaveLength(1)
    const names = () => readdirSync(join(place, 'candles'))
    expect(names().filter((name) => !name.startsWith('.'))).toEqual([])
    expect(names()).toHaveLength(1)
    const { seal } = await write('candles', place)
    expect(names()).toEqual([seal.release_id])
    expect(existsSync(join(place, 'candles', seal.release_id, SEAL_FILE))).toBe(true)
    await rm(place, { recursive: true })
  })
})
