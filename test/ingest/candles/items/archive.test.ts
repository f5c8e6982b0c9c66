import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAskVenue } from '../../../../src/ingest/candles/ask-venue.js'
import { archiveFiles } from '../../../../src/ingest/candles/items/archive-files.js'
import { binanceArchive } from '../../../../src/ingest/providers/exchanges/binance-archive.js'
import { createHttpClient, type HttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { listen } from '../../../support/peers/sockets.js'

const DAY = new Date('2025-01-01T00:00:00Z')
const NEXT = new Date('2025-01-02T00:00:00Z')
const NOW = new Date('2026-11-20T12:00:00Z')
const QUESTION = { slug: 'bitcoin', ticker: 'BTC', from: DAY, to: NEXT, now: NOW }
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

const askAt = (client: HttpClient) => createAskVenue(client, binanceArchive)

describe('the live bulk files', () => {
  const ask = () => askAt(http)(QUESTION)

  it('give the bars of a day with the right hash', async () => {
    const { bars, requests, rejections, isWhole } = await ask()
    expect(bars).toMatchObject([{ venue: 'binance', ts: DAY, quoteCurrency: 'USDT' }])
    expect([requests, rejections, isWhole]).toEqual([2, [], true])
  })

  it('give no bars for a day without a file', async () => {
    served.clear()
    expect(await ask()).toMatchObject({
      ...{ bars: [], requests: 1, read: 0, rejections: [], absent: 0 },
      ...{ isListed: true, isWhole: true, isOut: false },
    })
  })

  it.each([
    [
      'another hash',
      `${PATH}.CHECKSUM`,
      { body: checksumOf(strToU8('x')) },
      'but the checksum file has',
      false,
    ],
    ['no hash', `${PATH}.CHECKSUM`, { body: '<html>' }, 'the checksum file begins with', false],
    ['a refusal', PATH, { status: 451, body: '' }, 'answered with status 451', true],
    ['a page', PATH, { body: '<html>' }, 'but the checksum file has', false],
    ['no answer', PATH, { status: 503, body: '' }, 'answered with status 503', true],
  ])('use nothing of a day with %s', async (_, path, body, reason, isOut) => {
    served.set(path, body)
    const { bars, rejections, isWhole, ...harvest } = await ask()
    expect([bars, isWhole, harvest.isOut]).toEqual([[], false, isOut])
    expect(rejections).toEqual([
      {
        position: `bitcoin, https://data.binance.vision${PATH}`,
        reason: expect.stringContaining(reason),
      },
    ])
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
    const days = { from: day, to: new Date('2024-09-02T00:00:00Z') }
    const { bars } = await askAt(http)({ ...QUESTION, slug: 'polygon', ticker: 'POL', ...days })
    expect(bars).toMatchObject([{ venue: 'binance', ts: day }])
  })

  it('have no pair of tether against itself', async () => {
    const harvest = await askAt(http)({ ...QUESTION, slug: 'tether', ticker: 'USDT' })
    expect(harvest).toMatchObject({ isListed: false, requests: 0 })
  })
})

describe('bulk files on disk', () => {
  it('are checked by the hash beside them, if one exists', async () => {
    const home = await mkdtemp(join(tmpdir(), 'archive-'))
    try {
      const path = join(home, 'BTCUSDT-1m-2025-01-01.zip')
      const ask = () => askAt(archiveFiles(new Map([['BTCUSDT-1m-2025-01-01.zip', path]])))(QUESTION)
      await expect(ask()).rejects.toThrow(`${path} cannot be read: the file does not exist`)
      await writeFile(path, ZIP)
      expect(await ask()).toMatchObject({ bars: [{ ts: DAY }], isWhole: true })
      await writeFile(`${path}.CHECKSUM`, checksumOf(strToU8('x')))
      expect(await ask()).toMatchObject({ bars: [], isWhole: false, isOut: false })
      await writeFile(path, new Uint8Array(5 * 1024 * 1024))
      expect((await ask()).rejections[0]?.reason).toContain('has more than 4194304 bytes')
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })
})
