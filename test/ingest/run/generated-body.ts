import { type CsvRecord, csvRecordStream } from '../../../src/ingest/bodies/csv/csv.js'
import type { Parsed, StreamFeed } from '../../../src/ingest/feed.js'

export interface GeneratedRow {
  readonly series: string
  readonly value: string
}

const PROVIDER = {
  id: 'generated',
  name: 'Generated',
  url: 'about:blank',
  licence: 'none',
  attribution: 'Generated',
  disclaimer: 'Made up.',
  licensedForCommercialUse: true,
}

/** Reads `series,value` lines from a stream; a value of `x` is rejected. */
export const generatedFeed: StreamFeed<GeneratedRow> = {
  id: 'generated',
  provider: PROVIDER,
  dataset: 'supply',
  description: 'Generated lines',
  cadence: 'never',
  request: () => ({ url: 'http://127.0.0.1/body', headers: {} }),
  parseStream: (body) => parseLines(body),
}

async function* parseLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Parsed<GeneratedRow>> {
  for await (const record of csvRecordStream(body)) yield parseLine(record)
}

function parseLine({ line, cells: [series = '', value = ''] }: CsvRecord): Parsed<GeneratedRow> {
  return value === 'x'
    ? { kind: 'rejected', position: `line ${line}`, reason: 'no number' }
    : { kind: 'row', row: { series, value } }
}

/** Lines of a thousand bytes; every hundredth has no number. */
export function* generatedLines(bytes: number): Generator<Uint8Array> {
  const lines = Array.from({ length: 100 }, (_, at) => {
    const value = at === 99 ? 'x' : `${at}.5`
    return `${'s'.repeat(998 - value.length)},${value}\n`
  })
  const chunk = new TextEncoder().encode(lines.join(''))
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
}
