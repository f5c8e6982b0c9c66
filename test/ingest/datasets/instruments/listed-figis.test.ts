import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { loadListingsByTicker } from '../../../../src/domains/instruments/store.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { JobContext } from '../../../../src/ingest/schedule/job.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'
import { jobOf } from '../../../support/ingest/run-group.js'
import { fails, OpenFigiStage, sends } from '../../providers/openfigi/stage.js'

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...['listed_symbol', 'mapping_question', 'ingest_run', 'dataset_state'],
]
const IBM = 'BBG000BLNNH6'
const log = createLogger('silent')

/** Twelve plain shares and a warrant. */
const LINES = [
  [7, 'Zz Industries Corp', 'ZZI', 'NYSE'],
  [8, 'Berkshire Hathaway Inc', 'BRK-B', 'NYSE'],
  [7, 'Zz Industries Corp', 'ZZI-WT', 'NYSE'],
  ...Array.from({ length: 10 }, (_, at) => [100 + at, `Other ${at}`, `OTH${at}`, 'OTC']),
]

/** A row of an answer; the composite of the United States unless `own` says otherwise. */
const row = (ticker: string, figi: string, own: object = {}) => ({
  ...{ figi, ticker, name: 'NAME', exchCode: 'US', compositeFIGI: figi, ...own },
})

describe.each(availableDatabases())('the FIGIs of stocks of the list on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  const stage = new OpenFigiStage()
  const deps = (day: string) => ({ database, clock: fixedClock(new Date(`${day}T10:30:00Z`)), log })
  const feedDeps = { fetchBody: () => expect.fail('nothing is fetched') }
  const runList = (day: string, data: readonly (readonly unknown[])[]) => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ fields: ['cik', 'name', 'ticker', 'exchange'], data }),
    )
    const source = { kind: 'bytes', bytes, origin: 'test' } as const
    return runFeed({ ...feedDeps, ...deps(day) }, findFeed('sec-symbols'), source)
  }
  beforeAll(async () => {
    await stage.open()
    database = await openTestDatabase(kind)
    restore = keptTables(database, TABLES, async () => {
      const bound = findFeed('reference')
      await runFeed({ ...feedDeps, ...deps('2026-11-02') }, bound, usualSourceOf(bound.feed))
      await runList('2026-11-02', LINES)
    })
  })
  beforeEach(() => restore())
  afterAll(async () => {
    await stage.close()
    await database?.close()
  })

  const run = (day: string, apiKey: string | null = null) => {
    const context = { ...deps(day), http: stage.client(), signal: new AbortController().signal }
    // The job signs nothing.
    return jobOf('listed-figis', { openFigiKey: apiKey }).run(context as unknown as JobContext)
  }
  const figiOf = async (ticker: string) =>
    (await loadListingsByTicker(database, [ticker])).get(ticker)?.[0]?.figi ?? null

  it('are asked for once by ticker, ten with a request, without warrants, and are stored', async () => {
    stage.answer({
      ZZI: [row('ZZI', IBM), row('ZZI', 'BBG000BLNNV0', { exchCode: 'UA', compositeFIGI: IBM })],
      'BRK/B': [row('BRK/B', 'BBG000DWG505')],
    })
    const outcome = await run('2026-11-20')
    expect(outcome).toMatchObject({
      counts: { added: 2, revised: 0, unchanged: 10, rejected: 0 },
      note: '2 of 12 listings have a FIGI; 0 were not asked for yet',
    })
    expect(stage.jobs.map(({ length }) => length)).toEqual([10, 2])
    expect(stage.jobs.flat().every(({ idType, exchCode }) => `${idType} ${exchCode}` === 'TICKER US')).toBe(
      true,
    )
    expect(stage.identifiers).not.toContain('ZZI/WT')
    expect([await figiOf('ZZI'), await figiOf('BRK-B'), await figiOf('OTH1')]).toEqual([
      IBM,
      'BBG000DWG505',
      null,
    ])
    expect(
      await database.rows(
        "select value from instrument_identifier where scheme = 'figi' and source = 'openfigi' order by 1",
      ),
    ).toEqual([{ value: IBM }, { value: 'BBG000DWG505' }])
  })

  it('that are unknown are asked for again after thirty days only', async () => {
    stage.answer({ ZZI: [row('ZZI', IBM)] })
    await run('2026-11-20')
    stage.play(fails(500))
    expect(await run('2026-12-19')).toMatchObject({ counts: { added: 0, unchanged: 0 } })
    expect(stage.asked).toEqual([])
    stage.answer({ OTH1: [row('OTH1', 'BBG000B9XRY4')] })
    expect(await run('2026-12-21')).toMatchObject({ counts: { added: 1, unchanged: 10 } })
  })

  it('are asked for at once if another company has got the ticker', async () => {
    stage.answer({ OTH3: [row('OTH3', IBM)] })
    await run('2026-11-20')
    await runList(
      '2026-11-21',
      LINES.map((line) =>
        line[2] === 'OTH3' || line[2] === 'OTH4' ? [900, 'New Holder', ...line.slice(2)] : line,
      ),
    )
    stage.answer({ OTH3: [row('OTH3', 'BBG000B9XRY4')] })
    expect(await run('2026-11-22')).toMatchObject({ counts: { added: 1, unchanged: 1 } })
    expect(stage.identifiers).toEqual(['OTH3', 'OTH4'])
    const listings = (await loadListingsByTicker(database, ['OTH3'])).get('OTH3') ?? []
    expect(listings.map(({ name, figi }) => [name, figi])).toEqual([
      ['Other 3', IBM],
      ['New Holder', 'BBG000B9XRY4'],
    ])
  })

  it('are refused with the reason if no row, or several, can be the listing', async () => {
    stage.answer({
      ZZI: [row('ZZI', IBM, { exchCode: 'GR' })],
      OTH1: [row('OTH1', IBM), row('OTH1', 'BBG000B9XRY4')],
      OTH2: [row('OTH2', 'BBG000B9XRY5')],
    })
    expect(await run('2026-11-20')).toMatchObject({ counts: { added: 0, rejected: 3 } })
    expect(await figiOf('OTH1')).toBeNull()
  })

  it('are asked for again if the run fails, and those of an answer of another length are not stored', async () => {
    stage.play(sends([{ data: [row('ZZI', IBM)] }]))
    await expect(run('2026-11-20')).rejects.toThrow('1 results were sent for 10 identifiers')
    expect(await database.rows('select 1 from mapping_question')).toEqual([])
    stage.answer({ ZZI: [row('ZZI', IBM)] })
    expect(await run('2026-11-20', 'a-key')).toMatchObject({ counts: { added: 1 } })
    expect(stage.asked.map(({ key }, at) => [key, stage.jobs[at]?.length])).toEqual([['a-key', 12]])
  })

  it('stay when the list comes again', async () => {
    stage.answer({ ZZI: [row('ZZI', IBM)] })
    await run('2026-11-20')
    const data = LINES.map((line) => (line[2] === 'ZZI' ? [line[0], 'Zz Corp', ...line.slice(2)] : line))
    await runList('2026-11-21', data)
    expect(await figiOf('ZZI')).toBe(IBM)
  })
})
