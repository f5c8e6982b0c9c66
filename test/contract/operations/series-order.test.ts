import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileRoutes, restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callGraphql, restPath } from '../../support/app/endpoint-calls.js'
import { readArrow, readParquet } from '../../support/columnar-files.js'
import { quickestDatabase } from '../../support/database/database.js'
import { isInOrder, NO_SERIES, SERIES_CASES } from './series-cases.js'

type Row = Readonly<Record<string, unknown>>

const ENDPOINTS = restEndpoints(restSchema).flatMap((endpoint) => {
  const table = compileRoutes(endpoint)[0]?.table
  return table == null ? [] : [{ name: endpoint.field.name, endpoint, table }]
})

const TIME_COLUMN = /^(ts|date|period|\w+_(date|ts)|(generated|changed|recorded|published|known)_at)$/

const SERIES = ENDPOINTS.flatMap(({ name, endpoint, table }) => {
  const found = SERIES_CASES[name]
  return found === undefined ? [] : [{ name, endpoint, table, ...found }]
})

/** Rows of a page; a series of two pages shows an order that a page does not keep. */
const PAGE_ROWS = 3

describe('a series', { timeout: 120_000 }, () => {
  let app: TestApp
  let key: string
  let agent: Client
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
    agent = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const requestInit = { headers: { 'x-api-key': key } }
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }))
  })
  afterAll(async () => {
    await agent?.close()
    await app?.close()
  })

  it('is every list whose rows have a day or an instant, unless it says why not', () => {
    const inTime = ENDPOINTS.filter(({ table }) =>
      table.fileColumns.some(({ name }) => TIME_COLUMN.test(name)),
    )
    const names = inTime.map(({ name }) => name).filter((name) => !NO_SERIES.includes(name))
    expect(names.toSorted()).toEqual(Object.keys(SERIES_CASES).toSorted())
  })

  describe.each(SERIES)('$name', ({ name, endpoint, table, args, order }) => {
    const root = { ...endpoint, name, operation: 'query' } as const
    const hasLimit = endpoint.field.args.some((argument) => argument.name === 'limit')
    const given = (limit: number) => ({ ...args, ...(hasLimit ? { limit } : {}) })
    const rowsOf = (body: unknown): readonly Row[] =>
      table.path.reduce((value, member) => (value as Row)[member], body) as readonly Row[] // the rows of the route
    const fetched = async (path: string, accept: string) => {
      const response = await fetch(app.url + path, { headers: { accept, 'x-api-key': key } })
      expect([path, response.status]).toEqual([path, 200])
      return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
    }

    it('is in time order over the pages of REST', async () => {
      const pages: (readonly Row[])[] = []
      let path: string | undefined = restPath(root, endpoint.rest, given(PAGE_ROWS))
      while (path !== undefined && pages.length < 3) {
        const { headers, bytes }: Awaited<ReturnType<typeof fetched>> = await fetched(
          path,
          'application/json',
        )
        pages.push(rowsOf(JSON.parse(bytes.toString())))
        path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      }
      if (hasLimit) for (const page of pages) expect(page.length).toBeLessThanOrEqual(PAGE_ROWS)
      // Its first page is the newest.
      if (name === 'ohlcv' || name === 'exchange_candles') pages.reverse()
      const rows = pages.flat()
      expect(rows.length).toBeGreaterThan(1)
      expect([isInOrder(rows, order), rows]).toEqual([true, rows])
    })

    it.each([
      ['text/csv', async (bytes: Buffer): Promise<readonly Row[]> => parse(bytes, { columns: true })],
      [
        'application/x-ndjson',
        async (bytes: Buffer) =>
          bytes
            .toString()
            .trim()
            .split('\n')
            .map((line): Row => JSON.parse(line)),
      ],
      ['application/vnd.apache.parquet', async (bytes: Buffer) => (await readParquet(bytes)).rows],
      ['application/vnd.apache.arrow.stream', async (bytes: Buffer) => (await readArrow(bytes)).rows],
    ] as const)('is in time order as %s', async (type, read) => {
      const { bytes } = await fetched(restPath(root, endpoint.rest, given(20)), type)
      const rows = await read(bytes)
      expect(rows.length).toBeGreaterThan(1)
      if (hasLimit) expect(rows.length).toBeLessThanOrEqual(20)
      expect([isInOrder(rows, order), rows]).toEqual([true, rows])
    })

    it('is in time order through GraphQL and for an agent', async () => {
      const columns = order.map((column) => column.replace(/^-/, '')).join(' ')
      const wanted = table.path.reduceRight((inner, member) => `{ ${member} ${inner} }`, `{ ${columns} }`)
      const typed = Object.fromEntries(
        Object.entries(given(20)).map(([argument, value]) => {
          const type = String(endpoint.field.args.find((one) => one.name === argument)?.type)
          return [argument, type.startsWith('Int') ? Number(value) : value]
        }),
      )
      const { body } = await callGraphql(app, root, typed, { key }, wanted)
      const { structuredContent } = await agent.callTool({
        name: 'run',
        arguments: { operation: name, arguments: typed, max_bytes: 1_000_000 },
      })
      for (const rows of [rowsOf(body.data?.[name]), rowsOf(structuredContent)]) {
        expect(rows.length).toBeGreaterThan(1)
        expect([isInOrder(rows, order), rows]).toEqual([true, rows])
      }
    })
  })
})
