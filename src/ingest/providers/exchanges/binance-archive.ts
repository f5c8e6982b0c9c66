import { unzipSync } from 'fflate'
import { sha256Hex } from '../../../core/canonical-json.js'
import { addDays, DAY_MS, type IsoDate, parseIsoDate, startOfDay, toIsoDate } from '../../../core/time.js'
import { BrokenCsv, type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { BrokenBody, type FeedRequest, quoted } from '../../feed.js'
import { binance, CELLS, parseKlines } from './binance.js'
import type { Rows } from './minute-bar.js'
import type { AnswerContext, AnswerProof, VenueAdapter, VenueBody } from './venue-adapter.js'
import { assertVenueStatus } from './venue-error.js'

/** A day has 1,440 rows of about 150 bytes; a much larger file is a zip bomb. */
const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024

/** A day of a pair in the bulk files of Binance: https://github.com/binance/binance-public-data */
interface ArchiveDay {
  readonly symbol: string
  readonly day: IsoDate
}

/** Binance's bars in its daily bulk files, each checked by its SHA-256. A day without a file was not traded or is not published yet. */
export const binanceArchive: VenueAdapter = {
  ...binance,
  request: ({ pair: { symbol }, from, to }) =>
    daysWithin(from, to).map((day) => {
      const url = `https://data.binance.vision/data/spot/daily/klines/${symbol}/1m/${symbol}-1m-${day}.zip`
      return { url, headers: { accept: 'application/zip' } }
    }),
  proof: (request, { status, body }) => (status === 200 ? proofOf(request, body) : undefined),
  parse: (body, context) => {
    if (context.status === 404) return { kind: 'bars', items: [], absent: 0 }
    assertVenueStatus(context.status)
    return { kind: 'bars', ...parseKlines(readArchive(body, context), context) }
  },
}

function daysWithin(from: Date, to: Date): readonly IsoDate[] {
  const count = Math.max(0, Math.ceil((to.getTime() - startOfDay(from).getTime()) / DAY_MS))
  return Array.from({ length: count }, (_, at) => addDays(toIsoDate(from), at))
}

/** The checksum file of a zip, as `sha256sum` writes it. */
function proofOf({ url }: FeedRequest, zip: Uint8Array): AnswerProof {
  return {
    request: { url: `${url}.CHECKSUM`, headers: { accept: 'text/plain' } },
    assert: ({ status, body }: VenueBody) => {
      assertVenueStatus(status)
      const [wanted, found] = [readChecksum(body), sha256Hex(zip)]
      if (wanted !== found)
        throw new BrokenBody(`the SHA-256 is ${found}, but the checksum file has ${wanted}`)
    },
  }
}

/** The day in the name of a file; null for another name. */
export function parseArchiveName(fileName: string): ArchiveDay | null {
  const [, symbol = '', text = ''] = /^([A-Z0-9]{2,20})-1m-(\d{4}-\d{2}-\d{2})\.zip$/.exec(fileName) ?? []
  const day = parseIsoDate(text)
  return day === null ? null : { symbol, day }
}

/** The hash in a checksum file. Throws BrokenBody if it has none. */
function readChecksum(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, 200))
  const [, sha256] = /^([0-9a-f]{64})(?:\s|$)/.exec(text) ?? []
  if (sha256 === undefined) throw new BrokenBody(`the checksum file begins with ${quoted(text)}`)
  return sha256
}

/** Times are milliseconds before 2025 and microseconds since. Throws BrokenBody if the body is not the zip of that day. */
function readArchive(zip: Uint8Array, { url }: AnswerContext): Rows {
  const csv = unzipDay(zip, url.slice(url.lastIndexOf('/') + 1).replace(/zip$/, 'csv'))
  const rows = readCsv(csv).map(({ cells }) => cells)
  if (rows.every((cells) => cells.length < CELLS)) throw new BrokenBody('the archive has no rows of bars')
  return { rows, isCut: false }
}

function readCsv(body: Uint8Array): readonly CsvRecord[] {
  try {
    return [...csvRecords(body)]
  } catch (cause) {
    throw cause instanceof BrokenCsv ? new BrokenBody(cause.message, { cause }) : cause
  }
}

/**
 * Uses the directory at the end of the zip, because in a stream parts of zipped data can look like another file.
 */
function unzipDay(body: Uint8Array, name: string): Uint8Array {
  const files = unzip(body, name)
  const csv = files[name]
  if (csv !== undefined) return csv
  throw new BrokenBody(`the archive does not hold ${name}`)
}

function unzip(body: Uint8Array, wanted: string): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(body, {
      filter: ({ name, originalSize }) => {
        if (name !== wanted) throw new BrokenBody(`the archive holds ${quoted(name)}, not ${wanted}`)
        if (originalSize > MAX_UNZIPPED_BYTES)
          throw new BrokenBody(`${wanted} has more than ${MAX_UNZIPPED_BYTES} bytes`)
        return true
      },
    })
  } catch (cause) {
    if (cause instanceof BrokenBody) throw cause
    throw new BrokenBody('the archive is not a zip file, or is damaged or cut off', { cause })
  }
}
