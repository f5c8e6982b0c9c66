import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadFunds } from '../../../../src/domains/etf/fund-list-store.js'
import type { Fund } from '../../../../src/domains/etf/model.js'
import { etfSink } from '../../../../src/ingest/datasets/etf/ingestion.js'
import { findFund, runFundFeed } from '../../../../src/ingest/datasets/etf/run-fund-feed.js'
import { runNport } from '../../../../src/ingest/datasets/etf/run-nport.js'
import { bindFeed } from '../../../../src/ingest/feed.js'
import { isharesHoldings } from '../../../../src/ingest/providers/ishares/holdings-csv.js'
import { etfHoldingsFile } from '../../../../src/ingest/providers/operator/etf-holdings-file.js'
import { type NportFiling, nport } from '../../../../src/ingest/providers/sec/nport.js'
import { fetchBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { loadDatasetState } from '../../../../src/platform/database/versions/dataset-states-store.js'
import { UpstreamError } from '../../../../src/platform/http-client/upstream-error.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { interposed } from '../../../support/database/interposed-database.js'
import { filingBody, filingsBody, securityBody } from '../../providers/sec/nport-bodies.js'

const TABLE = (day: string, rows: readonly string[]) =>
  new TextEncoder().encode(
    `as_of,name,isin,weight,asset_category\n${rows.map((row) => `${day},${row}`).join('\n')}\n`,
  )

const ISHARES = (day: string, shares: string, rows: readonly string[]) =>
  new TextEncoder().encode(
    `\ufeffFund\nFund Holdings as of,"${day}"\nShares Outstanding,"${shares}"\n \nTicker,Name,Asset Class,Market Value,Weight (%),Quantity,Exchange\n${rows.join('\n')}\n \n"Terms of use."\n`,
  )

interface Holdings {
  readonly data: readonly { readonly name: string; readonly weight: number; readonly as_of: string }[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

describe.each(availableDatabases())('holdings of ETFs on %s', (kind) => {
  const statements: string[] = []
  let app: TestApp
  let key: string
  let funds: readonly Fund[]
  beforeAll(async () => {
    const database = await openTestDatabase(kind, 'seeded')
    app = await startTestApp(kind, { database: interposed(database, (sql) => void statements.push(sql)) })
    key = await app.newKey({ tier: 'growth' })
    funds = await loadFunds(app.database)
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const deps = () => ({
    database: app.database,
    clock: app.clock,
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const fundOf = (ticker: string) => findFund(app.database, ticker)
  const bytesOf = (bytes: Uint8Array) => ({ kind: 'bytes', bytes, origin: 'test' }) as const
  const later = (ms: number) => app.clock.advance(ms)
  const ingestTable = async (ticker: string, body: Uint8Array) => {
    later(60_000)
    return runFundFeed(deps(), bindFeed(etfHoldingsFile(await fundOf(ticker)), etfSink), bytesOf(body))
  }
  const ingestFiling = async (body: Uint8Array, filing: NportFiling | null = null) => {
    later(60_000)
    return runFundFeed(deps(), bindFeed(nport({ funds, fund: null, filing }), etfSink), bytesOf(body))
  }
  const holdings = async (ticker: string, query = '') => {
    later(1_000) // versions are read again every half second
    return (await app.rest<Holdings>(`/v1/etf/${ticker}/holdings?limit=100${query}`, { key })).body
  }
  const reports = () =>
    app.database.rows<{ status: string; source: string; known_to: Date | null }>(
      'select status, source, known_to from etf_report order by report_id',
    )

  const TWO = ['A plc,GB00BP6MXD84,0.6,equity', 'B Inc.,US0378331005,0.4,equity']

  it('replace the synthetic ones; repeating the run changes nothing', async () => {
    const first = await ingestTable('SPUS', TABLE('2026-11-19', TWO))
    expect(first).toMatchObject({ added: 2, revised: 0, unchanged: 0, rejected: 0, removedSeed: 40 })
    const version = (await loadDatasetState(app.database, 'etf'))?.version
    expect(await ingestTable('SPUS', TABLE('2026-11-19', TWO))).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 2,
    })
    expect((await loadDatasetState(app.database, 'etf'))?.version).toBe(version)
    const body = await holdings('SPUS')
    expect(body.data.map(({ name, weight }) => [name, weight])).toEqual([
      ['A plc', 0.6],
      ['B Inc.', 0.4],
    ])
    expect(body.meta).toMatchObject({ is_dev_dataset: true, source: 'operator', total: 2 })
    expect((await holdings('IVV')).data).toEqual([])
  })

  it('of a later report of the day replace the previous ones, which stay known; an older day replaces nothing', async () => {
    const before = app.clock.now().toISOString()
    expect(
      await ingestTable('SPUS', TABLE('2026-11-19', ['A plc,,0.5,equity', 'C,,0.5,debt'])),
    ).toMatchObject({
      revised: 2,
      added: 0,
    })
    await ingestTable('SPUS', TABLE('2026-10-31', ['Old,,1,equity']))
    expect((await holdings('SPUS')).data.map(({ name }) => name)).toEqual(['A plc', 'C'])
    expect((await holdings('SPUS', `&known_at=${before}`)).data.map(({ name }) => name)).toEqual([
      'A plc',
      'B Inc.',
    ])
    expect(
      (await holdings('SPUS', '&as_of=2026-11-18')).data.map(({ name, as_of }) => [name, as_of]),
    ).toEqual([['Old', '2026-10-31']])
  })

  it('whose weights do not sum to about 1 are quarantined: the last good ones stay, and are stale', async () => {
    const bad = TABLE('2026-11-20', ['A plc,,0.5,equity', 'C,,0.3,debt'])
    const before = (await loadDatasetState(app.database, 'etf'))?.version ?? 0
    await expect(ingestTable('SPUS', bad)).rejects.toThrow(
      'quarantined: the weights of 2 holdings as of 2026-11-20 sum to 0.8, not to between 0.95 and 1.05',
    )
    const [run] = await app.database.rows<{ status: string; error: string }>(
      'select status, error from ingest_run order by started_at desc limit 1',
    )
    expect(run).toEqual({ status: 'failed', error: expect.stringContaining('sum to 0.8') })
    expect((await holdings('SPUS')).data.map(({ name }) => name)).toEqual(['A plc', 'C'])
    const { body } = await app.graphql(
      '{ etf(ticker: "SPUS") { _meta { freshness_status } instrument { report { as_of is_stale quarantine_reason } } } }',
      { key },
    )
    expect(body.data).toMatchObject({
      etf: {
        _meta: { freshness_status: 'stale' },
        instrument: {
          report: {
            as_of: '2026-11-19',
            is_stale: true,
            quarantine_reason: expect.stringContaining('sum to 0.8'),
          },
        },
      },
    })
    // Again: the same mark, and no other version of the dataset.
    await expect(ingestTable('SPUS', bad)).rejects.toThrow('quarantined')
    expect((await loadDatasetState(app.database, 'etf'))?.version).toBe(before + 1)
    expect((await reports()).filter(({ status }) => status === 'quarantined')).toHaveLength(1)
    await ingestTable('SPUS', TABLE('2026-11-20', ['A plc,,0.5,equity', 'C,,0.5,debt']))
    const { body: after } = await app.graphql(
      '{ etf(ticker: "SPUS") { instrument { report { as_of is_stale } } } }',
      {
        key,
      },
    )
    expect(after.data).toEqual({ etf: { instrument: { report: { as_of: '2026-11-20', is_stale: false } } } })
  })

  it('of iShares give a NAV if the file has shares outstanding, and are matched by ticker and market', async () => {
    later(60_000)
    const fund = await fundOf('IVV')
    const rows = [
      '"AAPL","APPLE INC","Equity","60,000.00","60.00","100.00","NASDAQ"',
      '"MSFT","MICROSOFT CORP","Equity","39,000.50","39.00","50.00","Toronto Stock Exchange"',
      '"USD","USD CASH","Cash","1,000.00","1.00","1,000.00","-"',
    ]
    const body = ISHARES('Nov 19, 2026', '1,000.00', rows)
    const summary = await runFundFeed(deps(), bindFeed(isharesHoldings(fund), etfSink), bytesOf(body))
    expect(summary).toMatchObject({ added: 3, rejected: 0 })
    later(1_000)
    const { body: etf } = await app.rest<Readonly<Record<string, unknown>>>('/v1/etf/IVV', { key })
    expect(etf).toMatchObject({
      nav: 100.0005,
      nav_date: '2026-11-19',
      holdings_count: 3,
      source: 'ishares',
      top_holdings: [
        { ticker: 'AAPL', weight: 0.6 },
        { ticker: 'MSFT', weight: 0.39 },
        { ticker: 'USD', weight: 0.01 },
      ],
    })
    const { body: held } = await app.graphql<{ apple: { data: object }; microsoft: { data: object } }>(
      `{ apple: asset(id: "apple") { data { held_by { weight etf { ticker } } } }
         microsoft: asset(id: "microsoft") { data { held_by { weight etf { ticker } } } } }`,
      { key },
    )
    expect(held.data?.apple.data).toEqual({ held_by: [{ weight: 0.6, etf: { ticker: 'IVV' } }] })
    // The market of the holding is not that of the listing: no match.
    expect(held.data?.microsoft.data).toEqual({ held_by: [] })
  })

  it('of N-PORT come from the latest filing of the newest day', async () => {
    const filing = (accession: string, day: string): NportFiling => ({
      accession,
      publishedAt: new Date(`${day}T00:00:00Z`),
      isAmendment: false,
      url: 'https://www.sec.gov/',
    })
    const of = (day: string, name: string, form = 'NPORT-P') =>
      filingBody({ form, seriesId: 'S000067282', day, securities: [securityBody({ name, pctVal: '99.5' })] })
    const quarter = filing('0000000001-26-000001', '2026-05-28')
    expect(await ingestFiling(of('2026-03-31', 'First'), quarter)).toMatchObject({ added: 1 })
    // Filed later for an older quarter.
    await ingestFiling(of('2025-12-31', 'Older', 'NPORT-P/A'), filing('0000000001-26-000003', '2026-07-13'))
    expect((await holdings('SPSK')).data).toMatchObject([
      { name: 'First', weight: 0.995, as_of: '2026-03-31' },
    ])
    expect(
      await ingestFiling(
        of('2026-03-31', 'Amended', 'NPORT-P/A'),
        filing('0000000001-26-000002', '2026-06-30'),
      ),
    ).toMatchObject({ revised: 1 })
    expect((await holdings('SPSK')).data[0]?.name).toBe('Amended')
    // The original again, with and without its filing, does not undo the amendment.
    expect(await ingestFiling(of('2026-03-31', 'First'), quarter)).toMatchObject({ unchanged: 1, revised: 0 })
    expect(await ingestFiling(of('2026-03-31', 'First'))).toMatchObject({ unchanged: 1, revised: 0 })
    const { body } = await app.graphql(
      '{ etf(ticker: "SPSK") { nav source instrument { net_assets_usd report { accession published_at source } } } }',
      { key },
    )
    expect(body.data).toEqual({
      etf: {
        nav: null,
        source: 'sec',
        instrument: {
          net_assets_usd: 1_000_000,
          report: {
            accession: '0000000001-26-000002',
            published_at: '2026-06-30T00:00:00.000Z',
            source: 'sec',
          },
        },
      },
    })
  })

  it('keep an LEI that fails its check as a text without meaning', async () => {
    later(60_000)
    const holding = securityBody({ name: 'Hologic, Inc.', lei: '549300DW2HDK2LFFB779', pctVal: '100' })
    const bound = bindFeed(nport({ funds, fund: await fundOf('SPSK'), filing: null }), etfSink)
    const body = filingBody({ seriesId: 'S000067282', day: '2026-06-30', securities: [holding] })
    await runFundFeed(deps(), bound, bytesOf(body))
    later(1_000)
    const { body: served } = await app.rest<{ data: readonly object[] }>('/v1/etf/SPSK/holdings', { key })
    expect(served.data).toMatchObject([{ name: 'Hologic, Inc.', lei: null }])
    expect(JSON.stringify(served)).not.toContain('549300DW2HDK2LFFB779')
    const { body: graph } = await app.graphql(
      '{ etf_holdings(ticker: "SPSK") { data { lei unverified_identifiers instrument { ticker } } } }',
      { key },
    )
    expect(graph.data).toEqual({
      etf_holdings: {
        data: [{ lei: null, unverified_identifiers: ['lei 549300DW2HDK2LFFB779'], instrument: null }],
      },
    })
  })

  it('of N-PORT are requested from EDGAR by series, each filing once', async () => {
    const asked: string[] = []
    const pages = new Map([
      [
        'cgi-bin/browse-edgar?action=getcompany&CIK=S000004310',
        filingsBody([
          ['NPORT-P/A', '0000000009-26-000002', '2026-07-13'],
          ['NPORT-P', '0000000009-26-000001', '2026-05-28'],
          ['NPORT-P', 'not a number', '2026-05-28'],
        ]),
      ],
      ['cgi-bin/browse-edgar?action=getcompany&CIK=S000067282', filingsBody([])],
      [
        '000000000926000001/primary_doc.xml',
        filingBody({ day: '2026-03-31', securities: [securityBody({ name: 'One', pctVal: '100' })] }),
      ],
      [
        '000000000926000002/primary_doc.xml',
        filingBody({
          day: '2025-09-30',
          form: 'NPORT-P/A',
          securities: [securityBody({ name: 'Part', pctVal: '7' })],
        }),
      ],
    ])
    const bodyOf = (url: string) => {
      asked.push(url.slice('https://www.sec.gov/'.length))
      return [...pages].find(([part]) => url.includes(part))?.[1] ?? expect.fail(url)
    }
    const live = {
      ...deps(),
      fetchBody: async ({ url }: { readonly url: string }) => bodyOf(url),
      downloadBody: async ({ url }: { readonly url: string }, path: string) => {
        const { writeFile } = await import('node:fs/promises')
        await writeFile(path, bodyOf(url))
      },
    }
    const first = await runNport(live)
    expect(first).toMatchObject({ done: 1, added: 1 })
    expect(first.failed).toEqual([
      {
        name: 'IVV 0000000009-26-000002',
        reason: expect.stringContaining('quarantined: the weights of 1 holdings'),
      },
    ])
    expect(asked.map((path) => path.replace(/&type.*/, ''))).toEqual([
      'cgi-bin/browse-edgar?action=getcompany&CIK=S000004310',
      'Archives/edgar/data/1/000000000926000001/primary_doc.xml',
      'Archives/edgar/data/1/000000000926000002/primary_doc.xml',
      'cgi-bin/browse-edgar?action=getcompany&CIK=S000067282',
    ])
    asked.length = 0
    expect(await runNport(live)).toMatchObject({ done: 0, failed: [] })
    expect(asked).toHaveLength(2)
    const blocked = new UpstreamError('blocked', 'the provider blocks this address', {
      retryAfterMs: 600_000,
    })
    const shutOut = { ...live, fetchBody: fetchBodyWith({ request: () => Promise.reject(blocked) }) }
    await expect(runNport(shutOut)).rejects.toMatchObject({ retryAfterMs: 600_000 })
  })

  it('of a fund with 20,000 holdings are written in batches and read by page, one statement each', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, at) => `Holding ${at},,${at === 0 ? '0.5' : '0.000025'},equity`,
    )
    const before = app.database.statementCount()
    expect(await ingestTable('VTI', TABLE('2026-11-19', rows))).toMatchObject({ added: 20_000, rejected: 0 })
    // Four batches, and some twenty statements of a run.
    expect(app.database.statementCount() - before).toBeLessThan(30)
    for (const offset of [0, 19_950]) {
      later(1_000)
      statements.length = 0
      const { body } = await app.rest<Holdings>(`/v1/etf/VTI/holdings?limit=100&offset=${offset}`, {
        key,
      })
      expect(body.data).toHaveLength(offset === 0 ? 100 : 50)
      expect(body.meta).toMatchObject({ total: 20_000, has_next: offset === 0 })
      expect(statements.filter((sql) => /\betf_holding\b/.test(sql))).toHaveLength(1)
    }
    const { status } = await app.rest('/v1/etf/VTI/holdings?limit=101', { key })
    expect(status).toBe(422)
  })
})
