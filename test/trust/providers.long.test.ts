import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../src/core/time.js'
import { IngestError } from '../../src/ingest/feed.js'
import { FEEDS } from '../../src/ingest/registry.js'
import { downloadBodyWith, fetchBodyWith } from '../../src/ingest/run/ask-for-body.js'
import { runFeed } from '../../src/ingest/run/run-feed.js'
import type { Database } from '../../src/platform/database/database.js'
import { createHttpClient, type HttpRequest } from '../../src/platform/http-client/http-client.js'
import { createLogger } from '../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../support/database/database.js'
import { noteFigures } from '../support/figures.js'
import { waitedMs } from '../support/waited-ms.js'

/** Of a whole body, in place of minutes. */
const TIMEOUT_MS = 1_000
/** In place of hundreds of megabytes. */
const MAX_BYTES = 2 * 1024 * 1024
/** What a run may wait for: the time-out of each request that it makes. */
const ENDS_MS = 15_000

const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024))

/** What a provider does in place of its answer. */
const MISDEEDS: Readonly<Record<string, (response: ServerResponse, url: string) => void>> = {
  hangs: () => {},
  'hangs after its headers': (response) => void response.writeHead(200).flushHeaders(),
  'sends a byte a while': (response) => {
    const drip = setInterval(() => response.write('1'), 50)
    response.on('close', () => clearInterval(drip))
  },
  resets: (response) => void response.socket?.resetAndDestroy(),
  'resets in the middle': (response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('Date,USD\n', () => response.socket?.resetAndDestroy())
  },
  'sends a page': (response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Maintenance</title><p>Back soon</p>'),
  'sends nothing': (response) => void response.end(),
  'sends bytes without end': (response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 0x20)));
    }
    response.on('drain', more)
    more()
  },
  'says that it sends gigabytes': (response) =>
    void response.writeHead(200, { 'content-length': String(9 * 1024 ** 3) }).flushHeaders(),
  'sends a bomb': (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  'sends what is not the encoding it says': (response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
  'redirects in a circle': (response, url) => void response.writeHead(302, { location: url }).end(),
  'redirects to a file': (response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  'sends NaN': (response) => void response.end('{"data": NaN, "value": Infinity}'),
  'sends null': (response) => void response.end('null'),
  'sends an array of the wrong types': (response) => void response.end('[1, "two", null, {"three": [3]}]'),
  'sends an object of the wrong types': (response) =>
    void response.end('{"STATUS": "x", "data": 7, "rows": {}, "RESULTSET": [null], "fields": 1}'),
  'sends a table of nonsense': (response) =>
    void response.end('Date,USD,OBS_VALUE\n2026-13-45,NaN,Infinity\n,,\n"unclosed'),
  'sends depth': (response) => void response.end('['.repeat(200_000)),
  'sends bytes of no text': (response) => void response.end(Buffer.alloc(10_000, 0xff)),
  'is broken': (response) => void response.writeHead(500).end('Traceback (most recent call last)'),
  'wants to wait': (response) => void response.writeHead(503, { 'retry-after': '999999' }).end(),
}

/** Those that ask a provider, of each kind of reading. */
const feeds = FEEDS.filter(({ feed }) => feed.bundled === undefined && feed.request !== undefined)

describe('a provider that', () => {
  const findings: string[] = []
  let runs = 0
  let server: Server
  let url: string
  let database: Database
  let misdeed: (response: ServerResponse, url: string) => void

  beforeAll(async () => {
    server = createServer((request, response) => {
      response.on('error', () => {})
      misdeed(response, request.url ?? '/')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
    database = await openTestDatabase(quickestDatabase(), 'empty')
  })
  afterAll(async () => {
    noteFigures({ part: 'providers', done: { runs, feeds: feeds.length }, findings })
    server?.closeAllConnections()
    server?.close()
    await database?.close()
  })

  const written = async () =>
    JSON.stringify(
      await database.rows(
        `select (select count(*) from dataset_state) as states, (select count(*) from forex_rate) as rates,
           (select count(*) from ingest_run where status = 'running') as running`,
      ),
    )

  it.each(Object.entries(MISDEEDS))(
    '%s ends the run of every feed in time with a reason, and nothing is written',
    async (name, act) => {
      misdeed = act
      const wrong: string[] = []
      const before = await written()
      const tryFeed = async (bound: (typeof feeds)[number]) => {
        const log = createLogger('silent')
        const client = createHttpClient({ log, userAgent: 'test' })
        const hostile = <Request extends HttpRequest>(request: Request): Request => ({
          ...request,
          url: `${url}/${bound.feed.id}`,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_BYTES,
          retries: 0,
        })
        const deps = {
          database,
          clock: fixedClock(SEEDED_AT),
          log,
          fetchBody: fetchBodyWith({ request: (request) => client.request(hostile(request)) }),
          downloadBody: downloadBodyWith({
            download: (request, path) => client.download(hostile(request), path),
          }),
        }
        runs += 1
        let outcome: string | null = null
        const waited = await waitedMs(async () => {
          outcome = await runFeed(deps, bound, { kind: 'live' }).then(
            ({ rows, rejected }) => `it succeeded with ${rows} rows, ${rejected} rejected`,
            (error: unknown) =>
              error instanceof IngestError ? null : `it failed with ${String(error).slice(0, 200)}`,
          )
        })
        if (outcome !== null) wrong.push(`${bound.feed.id}: ${outcome}`)
        if (waited > ENDS_MS) wrong.push(`${bound.feed.id}: it waited for ${waited} ms`)
      }
      await Promise.all(feeds.map(tryFeed))
      if ((await written()) !== before) wrong.push('something was written')
      findings.push(...wrong.map((text) => `${name}: ${text}`))
      expect(wrong).toEqual([])
    },
    120_000,
  )
})
