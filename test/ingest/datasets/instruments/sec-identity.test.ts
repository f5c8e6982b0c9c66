import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cik, Ticker } from '../../../../src/core/identifiers.js'
import { fixedClock } from '../../../../src/core/time.js'
import {
  findIdentities,
  toCompanies,
  type UsListing,
} from '../../../../src/domains/instruments/company-model.js'
import { submissionsGroup } from '../../../../src/ingest/datasets/instruments/submissions-group.js'
import { BrokenBody, IngestError } from '../../../../src/ingest/feed.js'
import { secSymbols } from '../../../../src/ingest/providers/sec/listed-symbols.js'
import { secSubmissions } from '../../../../src/ingest/providers/sec/submissions.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase, quickestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'
import { runGroup, runOperatorFile } from '../../../support/ingest/run-group.js'
import { samplePath } from '../../../support/samples.js'

const MARVELL = samplePath('sec/submissions_CIK0001835632_marvell.json')
const MONDAY = new Date('2026-11-23T10:30:00Z')
const TUESDAY = new Date('2026-11-24T10:30:00Z')

const deps = (database: Database, now: Date) => ({
  database,
  clock: fixedClock(now),
  log: createLogger('silent'),
  fetchBody: () => expect.fail('nothing is fetched'),
})

const bytesOf = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

const run = (database: Database, feed: string, body: unknown, now = MONDAY) =>
  runFeed(deps(database, now), findFeed(feed), { kind: 'bytes', bytes: bytesOf(body), origin: 'test' })

const withReference = async (database: Database) => {
  await runFeed(deps(database, MONDAY), findFeed('reference'), usualSourceOf(findFeed('reference').feed))
}

/** What the reference writes, and the feeds of the SEC and of the operator. */
const TABLES = [
  ...['asset', 'instrument', 'asset_contract', 'venue_symbol', 'instrument_identifier', 'listed_symbol'],
  ...['asset_version', 'corporate_action', 'ingest_run', 'dataset_state'],
]

type Line = readonly [cik: number, name: string, ticker: string, exchange: string]

const company = (cik: number, ticker: string, name: string): Line => [cik, name, ticker, 'Nasdaq']

/** A list of these companies and of thirty that no test changes. */
const listOf = (...lines: readonly Line[]) => {
  const others = Array.from({ length: 30 }, (_, at) => company(900_000 + at, `OT${at}X`, `Other ${at}`))
  return { fields: ['cik', 'name', 'ticker', 'exchange'], data: [...lines, ...others] }
}

interface Identifier {
  readonly scheme: string
  readonly value: string
  readonly valid_from: string | null
  readonly valid_to: string | null
  readonly source: string
}

const identifiersOf = (database: Database, slug: string) =>
  database.rows<Identifier>(
    `select i.scheme::text, value, valid_from, valid_to, i.source from instrument_identifier as i join asset using (asset_id)
     where slug = $1 and known_to is null and scheme in ('ticker', 'cik', 'name') order by i.scheme, valid_to nulls first`,
    [slug],
  )

describe.each(availableDatabases())('identities from the SEC on %s', (kind) => {
  let database: Database
  let restoreReference: () => Promise<void>
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    restoreReference = keptTables(database, TABLES, () => withReference(database))
  })
  beforeEach(() => restoreReference())
  afterAll(() => database?.close())

  it('change the ticker of a CIK that the masters know, from the day on which it was seen', async () => {
    const body = listOf(company(320193, 'APLX', 'Apple Inc.'), company(789019, 'MSFT', 'MICROSOFT CORP'))
    // The renamed stock, and the assets of the others.
    expect(await run(database, 'sec-symbols', body)).toMatchObject({ added: 32, alsoChanged: 1 + 30 })
    expect(await identifiersOf(database, 'apple')).toEqual([
      { scheme: 'ticker', value: 'APLX', valid_from: '2026-11-23', valid_to: null, source: 'sec' },
      { scheme: 'ticker', value: 'AAPL', valid_from: null, valid_to: '2026-11-23', source: 'sec' },
      { scheme: 'cik', value: '0000320193', valid_from: null, valid_to: null, source: 'reference' },
    ])
    const tickers = await database.rows(
      `select a.ticker, i.ticker as listed from asset a join instrument i using (asset_id) where slug = 'apple'`,
    )
    expect(tickers).toEqual([{ ticker: 'APLX', listed: 'APLX' }])
  })

  it('change nothing when they come again, and take precedence over the next run of the reference', async () => {
    const body = listOf(company(320193, 'APLX', 'Apple Inc.'))
    await run(database, 'sec-symbols', body)
    const before = await database.rows(
      'select * from instrument_identifier order by asset_id, scheme, value, known_from',
    )
    expect(await run(database, 'sec-symbols', body, TUESDAY)).toMatchObject({
      ...{ added: 0, revised: 0, unchanged: 31, alsoChanged: 0 },
    })
    const again = await runFeed(
      deps(database, TUESDAY),
      findFeed('reference'),
      usualSourceOf(findFeed('reference').feed),
    )
    expect(again).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(
      await database.rows('select * from instrument_identifier order by asset_id, scheme, value, known_from'),
    ).toEqual(before)
  })

  it('fill a missing CIK if ticker and name agree', async () => {
    await database.rows(`update instrument set cik = null where ticker in ('IBM', 'MU')`)
    const body = listOf(
      company(51143, 'IBM', 'INTERNATIONAL BUSINESS MACHINES CORP'),
      company(999, 'MU', 'Another Company Inc.'),
    )
    expect(await run(database, 'sec-symbols', body)).toMatchObject({ added: 32, revised: 0 })
    expect(
      await database.rows(`select ticker, cik from instrument where ticker in ('IBM', 'MU') order by ticker`),
    ).toEqual([
      { ticker: 'IBM', cik: '0000051143' },
      { ticker: 'MU', cik: null },
    ])
  })

  it('leave facts of the operator', async () => {
    await database.rows(`update instrument set source = 'operator' where ticker = 'AAPL'`)
    await run(database, 'sec-symbols', listOf(company(320193, 'APLX', 'Apple Inc.')))
    expect((await identifiersOf(database, 'apple')).map(({ value }) => value)).not.toContain('APLX')
  })

  it('include former names of a company, with their days; a malformed LEI is rejected', async () => {
    const body = {
      cik: '0001326801',
      name: 'Meta Platforms, Inc.',
      tickers: ['META'],
      lei: 'BQ4BKCS1HXDV9HN80Z94',
      formerNames: [
        { name: 'Facebook Inc', from: '2005-05-12T00:00:00.000Z', to: '2021-10-27T00:00:00.000Z' },
        { name: 'Tomorrow Inc', from: null, to: '2031-01-01T00:00:00.000Z' },
      ],
    }
    const summary = await run(database, 'sec-submissions', body)
    expect(summary).toMatchObject({ added: 0, revised: 0, unchanged: 1, alsoChanged: 2, rejected: 2 })
    expect(summary.rejections.map(({ position }) => position)).toEqual(['former name 2', 'lei'])
    const names = (await identifiersOf(database, 'meta-platforms')).filter(({ scheme }) => scheme === 'name')
    expect(names).toEqual([
      {
        scheme: 'name',
        value: 'Meta Platforms, Inc.',
        valid_from: '2021-10-27',
        valid_to: null,
        source: 'sec',
      },
      {
        scheme: 'name',
        value: 'Facebook Inc',
        valid_from: '2005-05-12',
        valid_to: '2021-10-27',
        source: 'sec',
      },
    ])
    expect(await run(database, 'sec-submissions', body, TUESDAY)).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 1,
    })
  })

  it('accept an operator’s change of a ticker, repeat it without a change, and withdraw it', async () => {
    const file = (withdrawn: string) => ({
      kind: 'bytes' as const,
      bytes: bytesOf(
        `ticker,action_type,ex_date,former_ticker,ratio,withdrawn\nNVDA,ticker_change,2020-03-02,NVIDA,,${withdrawn}\nAAPL,split,2020-08-31,,4,\n`,
      ),
      origin: 'actions.csv',
    })
    const at = (now: Date) => ({ ...deps(database, now) })
    expect(await runOperatorFile('corporate-actions', at(MONDAY), file(''))).toMatchObject({
      added: 2,
      revised: 0,
    })
    expect(await runOperatorFile('corporate-actions', at(TUESDAY), file(''))).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 2,
    })
    const tickers = async () =>
      (await identifiersOf(database, 'nvidia')).flatMap(({ scheme, value, valid_from, valid_to }) =>
        scheme === 'ticker' ? [[value, valid_from, valid_to]] : [],
      )
    expect(await tickers()).toEqual([
      ['NVDA', '2020-03-02', null],
      ['NVIDA', null, '2020-03-02'],
    ])
    expect(await runOperatorFile('corporate-actions', at(TUESDAY), file('yes'))).toMatchObject({
      added: 0,
      revised: 1,
      unchanged: 1,
    })
    expect(await tickers()).toEqual([['NVDA', null, null]])
  })

  it('keep each period of a ticker that one share had several times', async () => {
    const file = (lines: readonly string[]) => ({
      kind: 'bytes' as const,
      bytes: bytesOf(['ticker,action_type,ex_date,former_ticker,withdrawn', ...lines, ''].join('\n')),
      origin: 'actions.csv',
    })
    const changes = ['2012-05-01,OLD', '2016-05-02,MID', '2020-05-04,OLD'].map(
      (change) => `NVDA,ticker_change,${change},`,
    )
    const ingest = (now: Date, lines: readonly string[]) =>
      runOperatorFile('corporate-actions', deps(database, now), file(lines))
    const tickers = async () =>
      (await identifiersOf(database, 'nvidia')).flatMap(({ scheme, value, valid_from, valid_to }) =>
        scheme === 'ticker' ? [[value, valid_from, valid_to]] : [],
      )
    const all = [
      ['NVDA', '2020-05-04', null],
      ['OLD', null, '2012-05-01'],
      ['MID', '2012-05-01', '2016-05-02'],
      ['OLD', '2016-05-02', '2020-05-04'],
    ]
    expect(await ingest(MONDAY, changes)).toMatchObject({ added: 3, revised: 0, rejected: 0 })
    expect(await tickers()).toEqual(all)
    expect(await ingest(TUESDAY, changes)).toMatchObject({ added: 0, revised: 0, unchanged: 3 })
    await withReference(database)
    expect(await tickers()).toEqual(all)
    // The SEC sees the old ticker again: the open period ends and the earlier ones stay.
    const list = (ticker: string) => listOf(company(1045810, ticker, 'NVIDIA CORP'))
    await run(database, 'sec-symbols', list('OLD'), TUESDAY)
    await run(database, 'sec-symbols', list('NEW'), new Date('2026-11-25T10:30:00Z'))
    expect((await tickers()).slice(0, 1)).toEqual([['NEW', '2026-11-25', null]])
    expect((await tickers()).slice(-2)).toEqual([
      ['NVDA', '2020-05-04', '2026-11-24'],
      ['OLD', '2026-11-24', '2026-11-25'],
    ])
    expect(await tickers()).toHaveLength(6)
  })

  it('are reported if two shares have one ticker on one market on the same day', async () => {
    const summary = await runOperatorFile('corporate-actions', deps(database, MONDAY), {
      kind: 'bytes' as const,
      bytes: bytesOf('ticker,action_type,ex_date,former_ticker\nNVDA,ticker_change,2023-01-03,META\n'),
      origin: 'actions.csv',
    })
    expect(summary).toMatchObject({ added: 1, rejected: 1 })
    expect(summary.rejections).toEqual([
      {
        position: 'META on XNAS',
        reason: expect.stringContaining('have it on the same day; both are kept and marked'),
      },
    ])
  })

  it('withdraw one of several periods of a ticker by its day', async () => {
    const line = (day: string, former: string, withdrawn = '') =>
      `NVDA,ticker_change,${day},${former},${withdrawn}\n`
    const header = 'ticker,action_type,ex_date,former_ticker,withdrawn\n'
    const ingest = (now: Date, lines: string) =>
      runOperatorFile('corporate-actions', deps(database, now), {
        kind: 'bytes' as const,
        bytes: bytesOf(header + lines),
        origin: 'actions.csv',
      })
    await ingest(MONDAY, line('2012-05-01', 'OLD') + line('2016-05-02', 'MID') + line('2020-05-04', 'OLD'))
    expect(await ingest(TUESDAY, line('2012-05-01', 'OLD', 'yes'))).toMatchObject({ revised: 1 })
    const tickers = (await identifiersOf(database, 'nvidia')).filter(({ scheme }) => scheme === 'ticker')
    expect(tickers.map(({ value, valid_from, valid_to }) => [value, valid_from, valid_to])).toEqual([
      ['NVDA', '2020-05-04', null],
      ['MID', null, '2016-05-02'],
      ['OLD', '2016-05-02', '2020-05-04'],
    ])
  })
})

describe('bodies of the SEC', () => {
  const HOSTILE = [
    ['a page', '<html><body>Undeclared Automated Tool</body></html>'],
    ['nothing', ''],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['a body that was cut off', '{"fields":["cik","name","ticker","exchange"],"data":[[320193,"App'],
    [
      'a member twice',
      '{"fields":[],"fields":["cik","name","ticker","exchange"],"data":[[1,"x","A","NYSE"]]}',
    ],
    ['another encoding', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
  ] as const
  it.each(HOSTILE)('are refused completely if they are %s', (_, body) => {
    const bytes = typeof body === 'string' ? bytesOf(body) : body
    const context = { now: MONDAY, onRead: () => {}, onAbsent: () => {} }
    expect(() => [...secSymbols.parse(bytes, context)]).toThrow(BrokenBody)
    expect(() => [...secSubmissions.parse(bytes, context)]).toThrow(BrokenBody)
  })

  it('lose the wrong lines, each with its reason', () => {
    const body =
      '{"fields":["cik","name","ticker","exchange"],"data":[[NaN,"A","A","NYSE"],[1e400,"B","B","NYSE"],' +
      '[5,"C","no ticker","NYSE"],[6,"","D","NYSE"],[7,"E Corp","E","NYSE"],[1]]}'
    const context = { now: MONDAY, onRead: () => {}, onAbsent: () => {} }
    const parsed = [...secSymbols.parse(bytesOf(body), context)]
    expect(parsed.map((one) => (one.kind === 'row' ? one.row : one.position))).toEqual([
      ...['entry 0', 'entry 1', 'entry 2', 'entry 3'],
      { kind: 'listed', cik: '0000000007', name: 'E Corp', ticker: 'E', exchange: 'NYSE' },
      'entry 5',
    ])
  })

  it('give a company all its tickers, but none that another one has, and no company with two names', () => {
    const lines = [
      ...[['7', 'E Corp', 'E'] as const, ['8', 'F Corp', 'E'] as const, ['7', 'E Corp', 'E-PA'] as const],
      ...[['9', 'G Corp', 'G'] as const, ['9', 'H Corp', 'GA'] as const],
    ].map(([cik, name, ticker]) => ({ cik: cik as Cik, name, ticker: ticker as Ticker })) // as the list has them
    expect(toCompanies(lines)).toEqual([{ cik: '7', name: 'E Corp', tickers: ['E-PA'] }])
  })

  it('do not decide a new ticker if several are possible', () => {
    const listing = (assetId: number, ticker: string): UsListing => ({
      ...{
        assetId,
        ticker,
        mic: 'XNYS',
        name: 'Bear Holdings',
        cik: '0000000007',
        lei: null,
        source: 'reference',
      },
    })
    const tickers = (...names: string[]) => ({
      cik: '0000000007' as Cik,
      name: 'Bear',
      tickers: names as Ticker[],
    })
    const found = (listings: readonly UsListing[], ...names: string[]) =>
      findIdentities(listings, [tickers(...names)]).map(({ ticker }) => ticker)
    expect(found([listing(1, 'OLD')], 'NEW')).toEqual(['NEW'])
    expect(found([listing(1, 'OLD')], 'NEW', 'OTHER')).toEqual([null])
    expect(found([listing(1, 'BRK.B')], 'BRK-B', 'BRK-A')).toEqual([null])
    expect(found([listing(1, 'OLDA'), listing(2, 'OLDB')], 'NEW')).toEqual([null, null])
    expect(found([listing(1, 'OLD')], 'NEW', 'NEW-PA', 'NEW-WT')).toEqual(['NEW'])
  })

  it.each([
    ...['BA-PA', 'BA-P', 'BA-PRA', 'BA-WT', 'BA-WS', 'BA-UN', 'BA-U', 'BA-RI', 'BA-R'],
    ...['BEARP', 'BEARO', 'BEARW', 'BEARU', 'BEARR'],
  ])(
    'never takes a preferred share, warrant, unit or right for the successor of a common share: %s',
    (other) => {
      const listing = {
        assetId: 1,
        mic: 'XNYS',
        name: 'Boeing',
        cik: '0000012927',
        lei: null,
        source: 'reference',
      }
      const company = { cik: '0000012927' as Cik, name: 'BOEING CO', tickers: [other as Ticker] } // as the list has it
      expect(findIdentities([{ ...listing, ticker: 'BA' }], [company])).toMatchObject([{ ticker: null }])
    },
  )

  it.each(['BRK-A', 'GOOGL', 'FWONK', 'NEW'])(
    'takes a class of common shares for a successor: %s',
    (other) => {
      const listing = {
        assetId: 1,
        mic: 'XNYS',
        name: 'Bear',
        cik: '0000000007',
        lei: null,
        source: 'reference',
      }
      const company = { cik: '0000000007' as Cik, name: 'Bear', tickers: [other as Ticker] } // as the list has it
      expect(findIdentities([{ ...listing, ticker: 'OLD' }], [company])).toMatchObject([{ ticker: other }])
    },
  )
})

describe('feeds of the SEC', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  afterAll(() => database?.close())

  it('need live masters first', async () => {
    const body = listOf(company(320193, 'APLX', 'Apple Inc.'))
    await expect(run(database, 'sec-symbols', body)).rejects.toThrow(
      new IngestError('the stored assets are synthetic; ingest reference first'),
    )
    const counts = await database.rows(`select count(*)::int as assets from asset`)
    expect(counts).toEqual([{ assets: 148 }])
  })

  it('request one company after another, and continue after an unreadable one', async () => {
    await withReference(database)
    const asked: string[] = []
    const summary = await runGroup(submissionsGroup, {
      ...deps(database, MONDAY),
      fetchBody: async ({ url, headers }) => {
        asked.push(url)
        expect(headers['user-agent']).toBe('SEC_USER_AGENT')
        if (url.includes('0000320193')) return bytesOf({ error: 'no such company' })
        const cik = /CIK(\d+)/.exec(url)?.[1]
        return bytesOf({ cik, name: `Company ${cik}`, tickers: [], formerNames: [] })
      },
    })
    expect(asked).toHaveLength(38)
    expect(asked[0]).toBe('https://data.sec.gov/submissions/CIK0000320193.json')
    expect(summary).toMatchObject({
      done: 37,
      added: 0,
      unchanged: 37,
      alsoChanged: 37,
      failed: [{ name: 'AAPL' }],
    })
  })

  it('stop requests to a provider that sends garbage in the run', async () => {
    await withReference(database)
    let asked = 0
    const summary = await runGroup(submissionsGroup, {
      ...deps(database, MONDAY),
      fetchBody: async ({ url }) => {
        asked += 1
        const cik = /CIK(\d+)/.exec(url)?.[1]
        return bytesOf(
          asked === 3 ? 'garbage' : { cik, name: `Company ${cik}`, tickers: [], formerNames: [] },
        )
      },
    })
    expect(asked).toBe(3)
    expect(summary).toMatchObject({
      done: 2,
      failed: [{ reason: expect.stringContaining('not JSON') }],
      notAsked: 35,
      isOut: false,
    })
  })
})

describe.skipIf(MARVELL === null)('recorded bodies of the SEC (skipped without their files)', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase('pglite')
    await withReference(database)
  })
  afterAll(() => database?.close())

  it('hold the submissions of a company, whose ticker the masters can have', async () => {
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, last_updated, source)
       values (1000001, 'marvell', 'MRVL', 'Marvell Technology, Inc.', 'stock', now(), 'reference')`,
    )
    await database.rows(
      `insert into instrument (instrument_id, asset_id, ticker, mic, currency, is_primary, source)
       values (1000001, 1000001, 'MRVL', 'XNAS', 'USD', true, 'reference')`,
    )
    const body = await readFile(MARVELL ?? '', 'utf8')
    expect(await run(database, 'sec-submissions', body)).toMatchObject({
      rows: 1,
      added: 1,
      alsoChanged: 1,
      rejected: 0,
    })
    expect(await identifiersOf(database, 'marvell')).toMatchObject([
      { scheme: 'cik', value: '0001835632' },
      { scheme: 'name', value: 'Marvell Technology, Inc.', valid_from: null },
    ])
    expect(await run(database, 'sec-submissions', body, TUESDAY)).toMatchObject({ added: 0, revised: 0 })
  })
})
