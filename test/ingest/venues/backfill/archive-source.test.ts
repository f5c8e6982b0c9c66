import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { archiveFiles, liveArchive } from '../../../../src/ingest/venues/backfill/archive-source.js'
import { createHttpClient, type HttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { listen } from '../../../support/peers/sockets.js'

const DAY = new Date('2025-01-01T00:00:00Z')
const QUESTION = { slug: 'bitcoin', ticker: 'BTC', day: DAY, now: new Date('2026-11-20T12:00:00Z') }
const PATH = '/data/spot/daily/klines/BTCUSDT/1m/BTCUSDT-1m-2025-01-01.zip'

const START = DAY.getTime() * 1000
const ZIP = zipSync({
  'BTCUSDT-1m-2025-01-01.csv': strToU8(`${START},100,110,90,105,2,${START + 59_999_999},204,3,1,100,0\n`),
})
const checksumOf = (body: Uint8Array) =>
  `${createHash('sha256').update(body).digest('hex')}  BTCUSDT-1m-2025-01-01.zip\n`

/** What the address of a file answers; an address that is not in it, 404. */
let served: Map<string, { readonly status?: number; readonly body: string | Uint8Array }>
let http: HttpClient
let server: Awaited<ReturnType<typeof listen>>
beforeEach(async () => {
  served = new Map([
    [PATH, { body: ZIP }],
    [`${PATH}.CHECKSUM`, { body: checksumOf(ZIP) }],
  ])
  server = await listen((request, response) => {
    const answer = served.get(request.url ?? '')
    response.writeHead(answer === undefined ? 404 : (answer.status ?? 200)).end(answer?.body)
  })
  const client = createHttpClient({ log: createLogger('silent'), userAgent: 'test' })
  http = {
    request: (request) => {
      const { host, pathname } = new URL(request.url)
      expect(host).toBe('data.binance.vision')
      return client.request({ ...request, url: server.url + pathname, retries: 0 })
    },
  }
})
afterEach(() => server.close())

describe('the live bulk files', () => {
  const ask = () => liveArchive(http).ask(QUESTION)

  it('give the bars of a day with the right hash', async () => {
    const { answer, requests, rejections } = await ask()
    expect(answer).toMatchObject({
      kind: 'bars',
      bars: [{ venue: 'binance', ts: DAY, quoteCurrency: 'USDT' }],
    })
    expect([requests, rejections]).toEqual([2, []])
  })

  it('give no bars for a day without a file', async () => {
    served.clear()
    expect(await ask()).toEqual({
      answer: { kind: 'bars', bars: [] },
      requests: 1,
      read: 0,
      rejections: [],
      absent: 0,
    })
  })

  it.each([
    ['another hash', `${PATH}.CHECKSUM`, { body: checksumOf(strToU8('x')) }, 'but the checksum file has'],
    ['no hash', `${PATH}.CHECKSUM`, { body: '<html>' }, 'the checksum file begins with'],
    ['a refusal', PATH, { status: 451, body: '' }, 'answered with status 451'],
    ['a page', PATH, { body: '<html>' }, 'but the checksum file has'],
  ])('use nothing of a day with %s', async (_, path, body, reason) => {
    served.set(path, body)
    const { answer, rejections } = await ask()
    expect(answer).toMatchObject({
      kind: 'incomplete',
      isOut: false,
      reason: expect.stringContaining(reason),
    })
    expect(rejections).toEqual([
      { position: 'bitcoin 2025-01-01, archive', reason: expect.stringContaining(reason) },
    ])
  })

  it('say that the address is down if it does not answer', async () => {
    served.set(PATH, { status: 503, body: '' })
    expect((await ask()).answer).toMatchObject({ kind: 'incomplete', isOut: true })
  })

  it('are requested by the former symbol for a day before a renaming', async () => {
    const day = new Date('2024-09-01T00:00:00Z')
    const start = day.getTime()
    const line = `${start},0.4,0.5,0.3,0.45,20,${start + 59_999},9,3,10,4,0\n`
    const zip = zipSync({ 'MATICUSDT-1m-2024-09-01.csv': strToU8(line) })
    const path = '/data/spot/daily/klines/MATICUSDT/1m/MATICUSDT-1m-2024-09-01.zip'
    served = new Map([
      [path, { body: zip }],
      [`${path}.CHECKSUM`, { body: checksumOf(zip) }],
    ])
    const { answer } = await liveArchive(http).ask({ ...QUESTION, slug: 'polygon', ticker: 'POL', day })
    expect(answer).toMatchObject({ kind: 'bars', bars: [{ venue: 'binance', ts: day }] })
  })

  it('have no pair of tether against itself', async () => {
    const { answer } = await liveArchive(http).ask({ ...QUESTION, slug: 'tether', ticker: 'USDT' })
    expect(answer).toEqual({ kind: 'not_listed' })
  })
})

describe('bulk files on disk', () => {
  it('are checked by the hash beside them, if one exists', async () => {
    const home = await mkdtemp(join(tmpdir(), 'archive-'))
    try {
      const path = join(home, 'BTCUSDT-1m-2025-01-01.zip')
      const ask = () => archiveFiles(new Map([[DAY.getTime(), path]])).ask(QUESTION)
      await expect(ask()).rejects.toThrow(`${path} cannot be read: the file does not exist`)
      await writeFile(path, ZIP)
      expect((await ask()).answer).toMatchObject({ kind: 'bars', bars: [{ ts: DAY }] })
      await writeFile(`${path}.CHECKSUM`, checksumOf(strToU8('x')))
      expect((await ask()).answer).toMatchObject({ kind: 'incomplete', isOut: false })
      await writeFile(path, new Uint8Array(5 * 1024 * 1024))
      expect((await ask()).rejections[0]?.reason).toContain('has more than 4194304 bytes')
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })
})
