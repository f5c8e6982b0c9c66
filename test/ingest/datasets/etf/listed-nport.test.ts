import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { loadFilingsProgress } from '../../../../src/domains/etf/fund-list-store.js'
import { runNport } from '../../../../src/ingest/datasets/etf/run-nport.js'
import { type FeedRequest, IngestError, RetryLater } from '../../../../src/ingest/feed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'
import { filingBody, filingsBody, securityBody } from '../../providers/sec/nport-bodies.js'

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...['fund_class', 'mapping_question', 'etf_report', 'etf_holding', 'ingest_run', 'dataset_state'],
]

/** The series of six ETFs of the list, in the order of their classes, and of those of the reference that have one. */
const LISTED = [1, 2, 3, 4, 5, 6].map((number) => `S00010000${number}`)
const FOLLOWED = ['S000004310', 'S000067282']

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe.each(availableDatabases())('filings of the ETFs of the list on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  const deps = (day: string) => ({
    database,
    clock: fixedClock(new Date(`${day}T07:20:00Z`)),
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const runBytes = (id: string, body: string) =>
    runFeed(deps('2026-11-02'), findFeed(id), { kind: 'bytes', bytes: bytesOf(body), origin: 'test' })
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    restore = keptTables(database, TABLES, async () => {
      const bound = findFeed('reference')
      await runFeed(deps('2026-11-02'), bound, usualSourceOf(bound.feed))
      const funds = LISTED.map(
        (series, at) => [series, series.replace('S', 'C'), `L${'ABCDEF'[at]}`] as const,
      )
      const names = funds.map(
        ([series, id, ticker]) => `1,TRUST,${series},List ${ticker},${id},List ${ticker},${ticker}`,
      )
      const header = 'CIK Number,Entity Name,Series ID,Series Name,Class ID,Class Name,Class Ticker'
      await runBytes('sec-fund-names', `${header}\n${names.join('\n')}\n`)
      const data = funds.map(([series, id, ticker]) => [1, series, id, ticker])
      await runBytes('sec-funds', JSON.stringify({ fields: ['cik', 'seriesId', 'classId', 'symbol'], data }))
    })
  })
  beforeEach(() => restore())
  afterAll(() => database?.close())

  /** A run against the SEC played by `answer`, and the series and documents that it asks for. */
  const run = async (
    day: string,
    answer: (asked: string) => Uint8Array,
    own: Parameters<typeof runNport>[1] = {},
  ) => {
    const asked: string[] = []
    const bodyOf = ({ url }: FeedRequest) => {
      const [part = ''] = /S\d{9}|\d{18}/.exec(url) ?? []
      asked.push(part)
      return answer(part)
    }
    const live = {
      ...deps(day),
      fetchBody: async (request: FeedRequest) => bodyOf(request),
      downloadBody: async (request: FeedRequest, path: string) => writeFile(path, bodyOf(request)),
    }
    const summary = await runNport(live, { listedPerRun: 2, ...own }).catch((error: unknown) => ({
      error,
    }))
    return { summary, asked }
  }
  const noFilings = () => filingsBody([])

  it('are asked for after those of followed funds, a few in a run, those asked for longest ago first', async () => {
    const days = ['2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06']
    const asked: (readonly string[])[] = []
    for (const day of days) asked.push((await run(day, noFilings)).asked)
    expect(asked.map((series) => series.slice(0, 2))).toEqual(days.map(() => FOLLOWED))
    expect(asked.flatMap((series) => series.slice(2))).toEqual([...LISTED, ...LISTED.slice(0, 2)])
    expect(await loadFilingsProgress(database)).toEqual({
      ...{ all: 6, asked: 6 },
      oldest: new Date('2026-11-04T07:20:00Z'),
    })
  })

  it('are read from the newest one with its amendments, each once, and belong to the fund with their series', async () => {
    const [series = ''] = LISTED
    const answer = (asked: string) => {
      if (asked.startsWith('S'))
        return filingsBody(
          asked === series
            ? [
                ['NPORT-P', '0000000001-26-000001', '2026-05-28'],
                ['NPORT-P', '0000000001-26-000002', '2026-08-28'],
                ['NPORT-P/A', '0000000001-26-000003', '2026-09-28'],
              ]
            : [],
        )
      const isAmendment = asked.endsWith('3')
      return filingBody({
        ...{ seriesId: series, day: '2026-06-30', form: isAmendment ? 'NPORT-P/A' : 'NPORT-P' },
        securities: [securityBody({ isin: 'US0378331005', name: isAmendment ? 'Amended' : 'First' })],
      })
    }
    const first = await run('2026-11-03', answer)
    expect(first.summary).toMatchObject({ done: 2, failed: [], isOut: false })
    expect(first.asked.slice(2)).toEqual([series, '000000000126000002', '000000000126000003', LISTED[1]])
    expect(
      await database.rows(
        `select a.ticker, h.name from etf_report as r join asset as a using (asset_id) join etf_holding as h using (report_id)
         where r.known_to is null`,
      ),
    ).toEqual([{ ticker: 'LA', name: 'Amended' }])
    const again = await run('2026-11-04', answer, { listedPerRun: 6 })
    expect(again.summary).toMatchObject({ done: 0, failed: [], isOut: false })
    expect(again.asked).toHaveLength(8)
  })

  it('that fail count as asked for, and a run ends when five funds in a row fail', async () => {
    const { summary, asked } = await run(
      '2026-11-03',
      (part) => {
        if (part.startsWith('S0001')) throw new IngestError('status 500')
        return noFilings()
      },
      { listedPerRun: 6 },
    )
    expect(asked).toEqual([...FOLLOWED, ...LISTED.slice(0, 5)])
    expect(summary).toMatchObject({ failed: { length: 5 }, notAsked: 1, isOut: false })
    expect((await run('2026-11-04', noFilings)).asked.slice(2)).toEqual([LISTED[5], LISTED[0]])
  })

  it('are asked for again first if the process ends or the SEC blocks the address', async () => {
    for (const failure of [new Error('killed'), new RetryLater('blocked', 600_000)]) {
      const { summary, asked } = await run('2026-11-03', (part) => {
        if (part === LISTED[1]) throw failure
        return noFilings()
      })
      expect(summary).toEqual({ error: failure })
      expect(asked.at(-1)).toBe(LISTED[1])
      expect((await loadFilingsProgress(database)).asked).toBe(1)
      await database.script('update fund_class set filings_asked_at = null')
    }
  })

  it('are left for the next run when the time of a run is over', async () => {
    expect(await run('2026-11-03', noFilings, { budgetMs: 0 })).toMatchObject({
      ...{ asked: [], summary: { done: 0, notAsked: 0, isOut: false } },
    })
  })

  it('are not asked for when the list no longer has the fund', async () => {
    await database.script(
      `update instrument set inactive_since = '2026-11-02' where ticker in ('LA', 'LB', 'LC', 'LD')`,
    )
    expect((await run('2026-11-03', noFilings, { listedPerRun: 6 })).asked.slice(2)).toEqual(LISTED.slice(4))
  })
})
