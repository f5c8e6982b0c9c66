import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { parseIsoDate } from '../../../../src/core/time.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import {
  type ArchiveDay,
  archiveRequest,
  checksumRequest,
  parseArchive,
  parseArchiveName,
  readChecksum,
} from '../../../../src/ingest/providers/exchanges/binance-archive.js'

const pair = { symbol: 'BTCUSDT', quoteCurrency: 'USDT' } as const
const now = new Date('2026-11-20T12:00:00Z')

function dayOf(text: string): ArchiveDay {
  const day = parseIsoDate(text)
  if (day === null) throw new Error(text)
  return { symbol: 'BTCUSDT', day }
}

/** A row as the files have it; `unit` is the number of its time units in a millisecond. */
function row(start: string, unit: 1 | 1000, volume = '2'): string {
  const ms = Date.parse(start)
  return `${ms * unit},100,110,90,105,${volume},${(ms + 60_000) * unit - 1},${Number(volume) * 102},3,1,100,0\n`
}

function archive(text: string, name: string): Uint8Array {
  return zipSync({ [name]: strToU8(text) })
}

function parse(body: Uint8Array, day: string) {
  return parseArchive(body, dayOf(day), { pair, now }).items.map((item) =>
    item.kind === 'row'
      ? `${item.row.ts.toISOString()} ${item.row.quoteVolume}`
      : `${item.position}: ${item.reason}`,
  )
}

describe('the bulk files of Binance', () => {
  it('are found by symbol and day, with a hash file for each', () => {
    const url = 'https://data.binance.vision/data/spot/daily/klines/BTCUSDT/1m/BTCUSDT-1m-2025-01-01.zip'
    expect(archiveRequest(dayOf('2025-01-01')).url).toBe(url)
    expect(checksumRequest(dayOf('2025-01-01')).url).toBe(`${url}.CHECKSUM`)
    expect(parseArchiveName('BTCUSDT-1m-2025-01-01.zip')).toEqual(dayOf('2025-01-01'))
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

  it('have no bars of other days, and report bad rows by position', () => {
    const text = `${row('2025-01-01T00:00:00Z', 1000)}x,1\n${row('2025-01-02T00:00:00Z', 1000)}`
    expect(parse(archive(text, 'BTCUSDT-1m-2025-01-01.csv'), '2025-01-01')).toEqual([
      'row 2: has 2 cells instead of 12',
      '2025-01-01T00:00:00.000Z 204',
    ])
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
    const sha256 = 'ab'.repeat(32)
    expect(readChecksum(strToU8(`${sha256}  BTCUSDT-1m-2025-01-01.zip\n`))).toBe(sha256)
    for (const text of ['', '<html>', sha256.slice(1), `${sha256}0`])
      expect(() => readChecksum(strToU8(text))).toThrow(BrokenBody)
  })
})
