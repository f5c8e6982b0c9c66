import { unzipSync } from 'fflate'
import type { VenuePair } from '../../../core/consensus/venue-symbols.js'
import { endOfDay, type IsoDate, parseIsoDate } from '../../../core/time.js'
import { BrokenBody, type FeedRequest, quoted } from '../../feed.js'
import { binance } from './binance.js'
import type { ParsedBars } from './venue-adapter.js'

/** A day has 1,440 rows of about 150 bytes, zipped a fifth of it; a much larger file is a zip bomb. */
export const MAX_ARCHIVE_BYTES = 4 * 1024 * 1024
const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024

/** A day of a pair in the bulk files of Binance: https://github.com/binance/binance-public-data */
export interface ArchiveDay {
  readonly symbol: string
  readonly day: IsoDate
}

function nameOf({ symbol, day }: ArchiveDay): string {
  return `${symbol}-1m-${day}`
}

/** The zip of a day; 404 if the pair was not traded or the day is not published yet. */
export function archiveRequest(of: ArchiveDay): FeedRequest {
  const url = `https://data.binance.vision/data/spot/daily/klines/${of.symbol}/1m/${nameOf(of)}.zip`
  return { url, headers: { accept: 'application/zip' } }
}

/** The SHA-256 of the zip, as `sha256sum` writes it. */
export function checksumRequest(of: ArchiveDay): FeedRequest {
  return { url: `${archiveRequest(of).url}.CHECKSUM`, headers: { accept: 'text/plain' } }
}

/** The day in the name of a file; null for another name. */
export function parseArchiveName(fileName: string): ArchiveDay | null {
  const [, symbol = '', text = ''] = /^([A-Z0-9]{2,20})-1m-(\d{4}-\d{2}-\d{2})\.zip$/.exec(fileName) ?? []
  const day = parseIsoDate(text)
  return day === null ? null : { symbol, day }
}

/** The hash in a checksum file. Throws BrokenBody if it has none. */
export function readChecksum(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, 200))
  const [, sha256] = /^([0-9a-f]{64})(?:\s|$)/.exec(text) ?? []
  if (sha256 === undefined) throw new BrokenBody(`the checksum file begins with ${quoted(text)}`)
  return sha256
}

/**
 * Rejected rows with their reasons, then the bars of the day by time; bars of other days count as absent. Times are
 * milliseconds before 2025 and microseconds since. Throws BrokenBody if the body is not the zip of that day.
 */
export function parseArchive(
  body: Uint8Array,
  of: ArchiveDay,
  { pair, now }: { readonly pair: VenuePair; readonly now: Date },
): ParsedBars {
  const csv = unzipDay(body, `${nameOf(of)}.csv`)
  const answer = binance.parse(csv, { pair, status: 200, now })
  if (answer.kind === 'not_listed') throw new BrokenBody('the file holds an error of the venue')
  const start = new Date(of.day)
  const end = endOfDay(start)
  const items = answer.items.filter(
    (item) => item.kind === 'rejected' || (item.row.ts >= start && item.row.ts < end),
  )
  return { items, absent: answer.absent + answer.items.length - items.length }
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
