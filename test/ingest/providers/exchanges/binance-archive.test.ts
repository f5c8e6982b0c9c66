import { createHash } from 'node:crypto'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import {
  binanceArchive,
  parseArchiveName,
} from '../../../../src/ingest/providers/exchanges/binance-archive.js'

const pair = { symbol: 'BTCUSDT', quoteCurrency: 'USDT' } as const
const now = new Date('2026-11-20T12:00:00Z')

/** The request for a day. */
function requestFor(day: string) {
  const from = new Date(`${day}T00:00:00Z`)
  const [request] = binanceArchive.request({ pair, from, to: new Date(from.getTime() + 86_400_000), now })
  return request ?? expect.fail('no request')
}

/** A row as the files have it; `unit` is the number of its time units in a millisecond. */
function row(start: string, unit: 1 | 1000, volume = '2'): string {
  const ms = Date.parse(start)
  return `${ms * unit},100,110,90,105,${volume},${(ms + 60_000) * unit - 1},${Number(volume) * 102},3,1,100,0\n`
}

function archive(text: string, name: string): Uint8Array {
  return zipSync({ [name]: strToU8(text) })
}

function parse(body: Uint8Array, day: string, status = 200) {
  const answer = binanceArchive.parse(body, { pair, status, url: requestFor(day).url, now })
  return answer.kind === 'bars' ? answer.items.map(textOf) : answer.kind
}

function textOf(
  item: Extract<ReturnType<typeof binanceArchive.parse>, { kind: 'bars' }>['items'][number],
): string {
  return item.kind === 'row'
    ? `${item.row.ts.toISOString()} ${item.row.quoteVolume}`
    : `${item.position}: ${item.reason}`
}

/** Checks a body against a checksum file. */
function prove(body: Uint8Array, checksum: string): void {
  const proof = binanceArchive.proof?.(requestFor('2025-01-01'), { status: 200, body })
  proof?.assert({ status: 200, body: strToU8(checksum) })
}

describe('the bulk files of Binance', () => {
  it('are found by symbol and day, with a hash file for each', () => {
    const url = 'https://data.binance.vision/data/spot/daily/klines/BTCUSDT/1m/BTCUSDT-1m-2025-01-01.zip'
    const request = requestFor('2025-01-01')
    expect(request.url).toBe(url)
    const proofOf = (status: number) => binanceArchive.proof?.(request, { status, body: new Uint8Array() })
    expect([proofOf(200)?.request.url, proofOf(404)]).toEqual([`${url}.CHECKSUM`, undefined])
    expect(parseArchiveName('BTCUSDT-1m-2025-01-01.zip')).toEqual({ symbol: 'BTCUSDT', day: '2025-01-01' })
    for (const name of ['BTCUSDT-1h-2025-01-01.zip', 'BTCUSDT-1m-2025-01.zip', 'BTCUSDT-1m-2025-02-30.zip'])
      expect(parseArchiveName(name)).toBeNull()
  })

  it.each([
    ['milliseconds before 2025', '2024-12-31', 1],
    ['microseconds from 2025 on', '2025-01-01', 1000],
  ] as const)('have times in %s', (_, day, unit) => {
    const text = row(`${day}T00:00:00Z`, unit) + row(`${day}T23:59:00Z`, unit, '3')
    expect(parse(archive(text, `BTCUSDT-1m-${day}.csv`), day)).toEqual([
      `${day}T00:00:00.000Z 204`,
      `${day}T23:59:00.000Z 306`,
    ])
  })

  it('report bad rows by position', () => {
    const text = `${row('2025-01-01T00:00:00Z', 1000)}x,1\n`
    expect(parse(archive(text, 'BTCUSDT-1m-2025-01-01.csv'), '2025-01-01')).toEqual([
      'row 2: has 2 cells instead of 12',
      '2025-01-01T00:00:00.000Z 204',
    ])
  })

  it('have no bars of a day without a file', () => {
    expect(parse(new Uint8Array(), '2025-01-01', 404)).toEqual([])
  })

  it.each([
    ['another day', archive('1', 'BTCUSDT-1m-2025-01-02.csv'), 'holds "BTCUSDT-1m-2025-01-02.csv", not'],
    ['a page', strToU8('<html>'), 'is not a zip file, or is damaged or cut off'],
    ['no file', zipSync({}), 'does not hold BTCUSDT-1m-2025-01-01.csv'],
    [
      'a bomb',
      zipSync({ 'BTCUSDT-1m-2025-01-01.csv': new Uint8Array(17 * 1024 * 1024) }),
      'has more than 16777216 bytes',
    ],
    [
      'half of it',
      archive(row('2025-01-01T00:00:00Z', 1000).repeat(99), 'BTCUSDT-1m-2025-01-01.csv').subarray(0, 90),
      'is not a zip file, or is damaged or cut off',
    ],
  ])('are refused completely for %s', (_, body, reason) => {
    expect(() => parse(body, '2025-01-01')).toThrow(BrokenBody)
    expect(() => parse(body, '2025-01-01')).toThrow(reason)
  })

  it('have a hash in hexadecimal and nothing else', () => {
    const body = strToU8('bars')
    const sha256 = createHash('sha256').update(body).digest('hex')
    expect(() => prove(body, `${sha256}  BTCUSDT-1m-2025-01-01.zip\n`)).not.toThrow()
    for (const text of ['', '<html>', sha256.slice(1), `${sha256}0`, 'ab'.repeat(32)])
      expect(() => prove(body, text)).toThrow(BrokenBody)
  })
})
