import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseFigi, parseIsin } from '../../../../src/core/identifiers.js'
import { fixedClock } from '../../../../src/core/time.js'
import { loadFunds } from '../../../../src/domains/etf/fund-list-store.js'
import { loadListingsByTicker } from '../../../../src/domains/instruments/store.js'
import { etfSink } from '../../../../src/ingest/datasets/etf/ingestion.js'
import { bindFeed } from '../../../../src/ingest/feed.js'
import { nport } from '../../../../src/ingest/providers/sec/nport.js'
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
import { filingBody, securityBody } from '../../providers/sec/nport-bodies.js'

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...[
    'listed_symbol',
    'fund_class',
    'mapping_question',
    'etf_report',
    'etf_holding',
    'ingest_run',
    'dataset_state',
  ],
]
/** Codes that pass their check, of no security. */
const codes = <Code>(parse: (text: string) => Code | null, prefix: string) =>
  Array.from({ length: 1_000 }, (_, at) => parse(`${prefix}${String(at).padStart(4, '0')}`)).filter(
    (code) => code !== null,
  )
const [A_ISIN = '', B_ISIN = '', ...OTHER_ISINS] = codes(parseIsin, 'US000000')
const [FOREIGN_ISIN = ''] = codes(parseIsin, 'DE000000')
const [A_FIGI = '', B_FIGI = '', C_FIGI = '', VENUE_FIGI = ''] = codes(parseFigi, 'BBG00000')
const APPLE_ISIN = 'US0378331005'
const log = createLogger('silent')

const LINES = [
  [7, 'Alpha Corp', 'AAA', 'NYSE'],
  [8, 'Beta Corp', 'BBB', 'OTC'],
  [320193, 'Apple Inc.', 'AAPL', 'Nasdaq'],
]

/** The composite of the United States. */
const row = (figi: string, own: object = {}) => ({
  ...{ figi, ticker: 'TICKER', name: 'NAME', exchCode: 'US', compositeFIGI: figi, ...own },
})

describe.each(availableDatabases())('the ISINs of stocks of the list on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  const stage = new OpenFigiStage()
  const deps = (day: string) => ({
    database,
    clock: fixedClock(new Date(`${day}T10:30:00Z`)),
    log,
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const runList = (day: string, lines: readonly (readonly unknown[])[] = LINES) => {
    const body = JSON.stringify({ fields: ['cik', 'name', 'ticker', 'exchange'], data: lines })
    const bytes = new TextEncoder().encode(body)
    return runFeed(deps(day), findFeed('sec-symbols'), { kind: 'bytes', bytes, origin: 'test' })
  }
  beforeAll(async () => {
    await stage.open()
    database = await openTestDatabase(kind)
    restore = keptTables(database, TABLES, async () => {
      const bound = findFeed('reference')
      await runFeed(deps('2026-11-02'), bound, usualSourceOf(bound.feed))
      await runList('2026-11-02')
      await database.script(`update instrument set figi = '${A_FIGI}' where ticker = 'AAA';
        update instrument set figi = '${B_FIGI}' where ticker = 'BBB'`)
    })
  })
  beforeEach(() => restore())
  afterAll(async () => {
    await stage.close()
    await database?.close()
  })

  /** Stores a filing with shares that have these ISINs, and more. */
  const hold = async (isins: readonly string[], ...more: readonly string[]) => {
    const securities = isins.map((isin) => securityBody({ isin, name: isin, pctVal: '1' }))
    const rest = securityBody({ name: 'Rest', pctVal: String(100 - isins.length - more.length) })
    const funds = await loadFunds(database)
    const feed = nport({ funds, fund: null, filing: null })
    const bytes = filingBody({ securities: [...securities, ...more, rest] })
    return runFeed(deps('2026-11-19'), bindFeed(feed, etfSink), { kind: 'bytes', bytes, origin: 'test' })
  }
  const contextOf = (day: string) => {
    // The jobs sign nothing.
    return {
      ...deps(day),
      http: stage.client(),
      signal: new AbortController().signal,
    } as unknown as JobContext
  }
  const run = (day: string, apiKey: string | null = null) =>
    jobOf('listed-isins', { openFigiKey: apiKey }).run(contextOf(day))
  const isinOf = async (ticker: string) =>
    (await loadListingsByTicker(database, [ticker])).get(ticker)?.[0]?.isin ?? null

  it('come from shares in filings: OpenFIGI is asked for each once, and only the asset with its FIGI gets it', async () => {
    const derivative = securityBody({ isin: 'US5949181045', name: 'Option', pctVal: '1' }).replace(
      '>EC<',
      '>DE<',
    )
    const wrong = securityBody({
      isin: `${A_ISIN.slice(0, 11)}${(Number(A_ISIN.at(-1)) + 1) % 10}`,
      name: 'Wrong digit',
      pctVal: '1',
    })
    await hold([FOREIGN_ISIN, A_ISIN, B_ISIN, APPLE_ISIN], derivative, wrong)
    stage.answer({
      [A_ISIN]: [row(A_FIGI), row(VENUE_FIGI, { exchCode: 'UA', compositeFIGI: A_FIGI })],
    })
    expect(await run('2026-11-20')).toMatchObject({
      counts: { added: 1, revised: 0, unchanged: 2, rejected: 0 },
      note: '1 of 2 listings have an ISIN; 0 ISINs of holdings were not asked for yet',
    })
    // The reference has the ISIN of Apple. Those of the United States come first.
    expect(stage.identifiers).toEqual([A_ISIN, B_ISIN, FOREIGN_ISIN])
    expect(new Set(stage.jobs.flat().map(({ idType, exchCode }) => `${idType} ${exchCode}`))).toEqual(
      new Set(['ID_ISIN US']),
    )
    expect([await isinOf('AAA'), await isinOf('BBB'), await isinOf('AAPL')]).toEqual([
      A_ISIN,
      null,
      APPLE_ISIN,
    ])
    const stored = "select value from instrument_identifier where scheme = 'isin' and source = 'openfigi'"
    expect(await database.rows(stored)).toEqual([{ value: A_ISIN }])
  })

  it('stay when the list comes again, also under another name and ticker', async () => {
    await hold([A_ISIN])
    stage.answer({ [A_ISIN]: [row(A_FIGI)] })
    await run('2026-11-20')
    await runList('2026-11-21', [[7, 'Alpha Company', 'AAX', 'NYSE'], ...LINES.slice(1)])
    expect(await isinOf('AAX')).toBe(A_ISIN)
  })

  it('that are unknown are asked for again after thirty days only', async () => {
    await hold([A_ISIN])
    stage.answer({})
    await run('2026-11-20')
    stage.play(fails(500))
    expect(await run('2026-12-19')).toMatchObject({ counts: { added: 0, unchanged: 0 } })
    expect(stage.asked).toEqual([])
    stage.answer({ [A_ISIN]: [row(A_FIGI)] })
    expect(await run('2026-12-21')).toMatchObject({ counts: { added: 1 } })
    expect(await isinOf('AAA')).toBe(A_ISIN)
  })

  it('are asked for ten with a request, with a key a hundred, and again if the run fails', async () => {
    await hold(OTHER_ISINS.slice(0, 12))
    stage.play(sends([{ data: [row(A_FIGI)] }]))
    await expect(run('2026-11-20')).rejects.toThrow('1 results were sent for 10 identifiers')
    stage.answer({})
    await run('2026-11-20')
    expect(stage.jobs.map(({ length }) => length)).toEqual([10, 2])
    stage.answer({})
    await run('2026-12-21', 'a-key')
    expect(stage.asked.map(({ key }, at) => [key, stage.jobs[at]?.length])).toEqual([['a-key', 12]])
  })

  it('are refused with the reason if they have no FIGI or several', async () => {
    await hold([A_ISIN, B_ISIN, FOREIGN_ISIN])
    stage.answer({
      [A_ISIN]: [row(A_FIGI), row(B_FIGI)],
      [B_ISIN]: [row('BBG000000000')],
      [FOREIGN_ISIN]: [row(C_FIGI, { exchCode: 'GR' })],
    })
    expect(await run('2026-11-20')).toMatchObject({ counts: { added: 0, rejected: 3 } })
    expect([await isinOf('AAA'), await isinOf('BBB')]).toEqual([null, null])
  })

  it('are not stored if two ISINs have the FIGI of an asset, or the asset has another one', async () => {
    await hold([A_ISIN, FOREIGN_ISIN])
    stage.answer({ [A_ISIN]: [row(A_FIGI)], [FOREIGN_ISIN]: [row(A_FIGI)] })
    const reasons = async () => {
      const [ledger] = await database.rows<{ rejections: readonly { position: string; reason: string }[] }>(
        `select rejections from ingest_run where feed = 'listed-isins' order by started_at desc limit 1`,
      )
      return ledger?.rejections.map(({ position, reason }) => `${position}: ${reason}`)
    }
    await run('2026-11-20')
    expect(await isinOf('AAA')).toBeNull()
    const several =
      'several ISINs have the FIGI of alpha-corp, or several assets have its FIGI; none is stored'
    expect(await reasons()).toEqual([`${FOREIGN_ISIN}: ${several}`, `${A_ISIN}: ${several}`])
    await database.script(
      `delete from mapping_question; update instrument set isin = '${A_ISIN}' where ticker = 'AAA'`,
    )
    await hold([FOREIGN_ISIN])
    await database.script(
      `insert into mapping_question (scheme, value, market) values ('isin', '${FOREIGN_ISIN}', 'US') on conflict do nothing`,
    )
    stage.answer({ [FOREIGN_ISIN]: [row(A_FIGI)] })
    await run('2026-11-21')
    expect(await isinOf('AAA')).toBe(A_ISIN)
    expect(await reasons()).toEqual([
      `${FOREIGN_ISIN}: it has the FIGI of alpha-corp, which keeps the ISIN ${A_ISIN}`,
    ])
  })

  it('are stored without another request when the FIGI of an asset becomes known later', async () => {
    await database.script(`update instrument set figi = null where ticker = 'AAA'`)
    await hold([A_ISIN])
    stage.answer({ [A_ISIN]: [row(A_FIGI)] })
    await run('2026-11-20')
    expect(await isinOf('AAA')).toBeNull()
    stage.answer({ AAA: [row(A_FIGI, { ticker: 'AAA' })] })
    await jobOf('listed-figis', {}).run(contextOf('2026-11-21'))
    expect(await isinOf('AAA')).toBe(A_ISIN)
    stage.play(fails(500))
    await run('2026-11-22')
    expect(stage.asked).toEqual([])
  })
})
