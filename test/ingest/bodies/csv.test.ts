import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BrokenCsv, csvRecordStream, csvRecords } from '../../../src/ingest/bodies/csv/csv.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => [...csvRecords(bytes(text))]

describe('csvRecords', () => {
  it('gives cells and the line that each record ends on, for any line ends and byte order mark', () => {
    const records = [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', '2'] },
    ]
    expect(read('a,b\n1,2\n')).toEqual(records)
    expect(read('\ufeffa,b\r\n1,2')).toEqual(records)
  })

  it('keeps quoted commas, quotes and line ends, and omits empty lines but counts them', () => {
    expect(read('"x, y","say ""hi"""\n\n"two\nlines",z\n')).toEqual([
      { line: 1, cells: ['x, y', 'say "hi"'] },
      { line: 4, cells: ['two\nlines', 'z'] },
    ])
  })

  it('gives records of any number of cells, including an empty last one', () => {
    expect(read('a,b,\n1\n,,,\n').map(({ cells }) => cells)).toEqual([
      ['a', 'b', ''],
      ['1'],
      ['', '', '', ''],
    ])
  })

  it('parses any table, across the borders of its slices', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', 'é', '1') })
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }), (rows) => {
        // 30 KB of padding a row: a table of 20 rows has three slices.
        const padded = rows.map(([a, b]) => [`x${a}x`, `x${b}x`, 'p'.repeat(30_000)])
        const text = padded.map((row) => row.map((c) => `"${c.replaceAll('"', '""')}"`).join()).join('\n')
        expect(read(text).map(({ cells }) => cells)).toEqual(padded)
      }),
      { numRuns: 50 },
    )
  })

  it('reports the share of the body read, up to all of it', () => {
    const shares: number[] = []
    const body = bytes(`${'1,2,3,4,5,6,7,8\n'.repeat(50_000)}`)
    let count = 0
    for (const _ of csvRecords(body, (share) => shares.push(share))) count++
    expect(count).toBe(50_000)
    expect(shares.length).toBe(4)
    expect(shares.at(-1)).toBe(1)
  })

  it.each([
    ['', 'the body is empty'],
    [' \r\n \n', 'the body is empty'],
    ['\ufeff<!doctype html>\n<title>Sorry</title>', 'the body is HTML or XML, not CSV'],
    ['{"error": "no"}', 'the body is JSON, not CSV'],
    ['a,b\u0000c\n', 'the body is binary, not CSV'],
    ['a,b\n1,"2"x\n', 'the text is not CSV from line 2 on (CSV_INVALID_CLOSING_QUOTE)'],
    [`a,b\n"${'x'.repeat(1_100_000)}`, 'a quote is opened and never closed'],
  ])('refuses %j', (text, reason) => {
    expect(() => read(text)).toThrow(new BrokenCsv(reason))
  })

  it('refuses text that is not UTF-8', () => {
    expect(() => [...csvRecords(new Uint8Array([0x61, 0xe9, 0x2c, 0x0a]))]).toThrow('not UTF-8')
  })
})

describe('csvRecordStream', () => {
  const inChunks = (body: Uint8Array, length: number) =>
    Array.from({ length: Math.ceil(body.length / length) }, (_, at) =>
      body.subarray(at * length, (at + 1) * length),
    )
  const readStream = async (chunks: Iterable<Uint8Array>) => {
    const records = []
    for await (const record of csvRecordStream(chunks)) records.push(record)
    return records
  }

  it('gives the same records as for the whole text, wherever the chunks end', async () => {
    const line = '1,"two, \u00e9\u00e9 ""quoted""\nlines",3\n\n'
    const text = bytes(`\ufeffa,b,c\n${line.repeat(20_000)}last,"",`)
    const whole = [...csvRecords(text)]
    expect(whole).toHaveLength(20_002)
    for (const length of [65_536, 70_001, 400_000, text.length])
      expect(await readStream(inChunks(text, length))).toEqual(whole)
    const short = bytes('a,"x\ny"\n1,\u20ac')
    for (const length of [1, 2, 3])
      expect(await readStream(inChunks(short, length))).toEqual([...csvRecords(short)])
  })

  it.each([
    ['nothing', [], 'empty'],
    ['HTML', [bytes('<ht'), bytes('ml>')], 'HTML'],
    [
      'a quote that is never closed',
      inChunks(bytes(`a,b\n"${'x'.repeat(3_000_000)}`), 65_536),
      'never closed',
    ],
    ['a zero byte late in the text', [bytes('a,b\n'.repeat(100_000)), bytes('1,\u0000\n')], 'binary'],
    ['bytes that are no UTF-8', [bytes('a,b\n'), new Uint8Array([0xff, 0x2c, 0x0a])], 'UTF-8'],
  ])('refuses %s', async (_, chunks, reason) => {
    await expect(readStream(chunks)).rejects.toThrow(BrokenCsv)
    await expect(readStream(chunks)).rejects.toThrow(reason)
  })
})
