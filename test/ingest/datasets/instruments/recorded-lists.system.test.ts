import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'
import { samplePath } from '../../../support/samples.js'

const AUGUST = samplePath('universe/company_tickers_exchange_2025-08.json')
const DECEMBER = samplePath('universe/company_tickers_exchange.json')

const REFERENCE =
  "select asset_id, slug, ticker, name from asset where source = 'reference' order by asset_id"
const COUNTS = `select case when i.inactive_since is not null then 'inactive' else coalesce(i.security_type::text, a.asset_class::text) end
    as kind, count(*)::int as count
  from asset as a join instrument as i using (asset_id) where a.source = 'sec' group by 1 order by 1`

describe.skipIf(AUGUST === null || DECEMBER === null)('the lists of the SEC of two days', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())

  const deps = (day: string) => ({
    database,
    clock: fixedClock(new Date(`${day}T10:30:00Z`)),
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const run = (day: string, path: string | null) => {
    const bytes = readFileSync(path ?? expect.fail('the sample is missing'))
    return runFeed(deps(day), findFeed('sec-symbols'), { kind: 'bytes', bytes, origin: 'test' })
  }
  const countsNow = async () => {
    const rows = await database.rows<{ kind: string; count: number }>(COUNTS)
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
  }

  it('make ten thousand assets, leave the reference unchanged, and change nothing when they come again', async () => {
    const bound = findFeed('reference')
    await runFeed(deps('2025-08-23'), bound, usualSourceOf(bound.feed))
    const reference = await database.rows(REFERENCE)
    await run('2025-08-24', AUGUST)
    expect(await countsNow()).toMatchInlineSnapshot(`
      {
        "etf": 24,
        "preferred": 480,
        "right": 69,
        "stock": 8784,
        "unit": 149,
        "warrant": 355,
      }
    `)
    expect(await run('2025-08-25', AUGUST)).toMatchObject({ added: 0, revised: 0, alsoChanged: 0 })
    await run('2025-12-14', DECEMBER)
    expect(await countsNow()).toMatchInlineSnapshot(`
      {
        "etf": 32,
        "inactive": 511,
        "preferred": 484,
        "right": 82,
        "stock": 8805,
        "unit": 189,
        "warrant": 361,
      }
    `)
    expect(await run('2025-12-15', DECEMBER)).toMatchObject({ added: 0, revised: 0, alsoChanged: 0 })
    expect(await database.rows(REFERENCE)).toEqual(reference)
  }, 600_000)

  it.each([
    ['fiserv-inc', 'FISV', null],
    ['gannett-co-inc', 'TDAY', null],
    ['great-elm-capital-corp-geccz', 'GECCZ', '2025-12-14'],
    ['great-elm-capital-corp-geccg', 'GECCG', null],
    ['columbus-circle-capital-corp-i', 'BRR', '2025-12-14'],
    ['procap-financial-inc', 'BRR', null],
    ['viper-energy-inc', 'VNOM', null],
  ])('know %s by the ticker %s, inactive since %s', async (slug, ticker, inactiveSince) => {
    const rows = await database.rows(
      `select a.ticker, i.inactive_since::text from asset as a join instrument as i using (asset_id) where a.slug = $1`,
      [slug],
    )
    expect(rows).toEqual([{ ticker, inactive_since: inactiveSince }])
  })
})
