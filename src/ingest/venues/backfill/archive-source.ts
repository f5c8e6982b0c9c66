import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { sha256Hex } from '../../../core/canonical-json.js'
import { pairOnDay } from '../../../core/consensus/venue-symbols.js'
import { toIsoDate } from '../../../core/time.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import { redactUrl } from '../../../platform/http-client/redact-url.js'
import { UpstreamError } from '../../../platform/http-client/upstream-error.js'
import { BrokenBody, type FeedRequest, IngestError } from '../../feed.js'
import { binance } from '../../providers/exchanges/binance.js'
import {
  type ArchiveDay,
  archiveRequest,
  checksumRequest,
  MAX_ARCHIVE_BYTES,
  parseArchive,
  readChecksum,
} from '../../providers/exchanges/binance-archive.js'
import { venueRequestRate } from '../../providers/exchanges/venue-request-rate.js'
import { errorText, type Rejection } from '../../run/ledger.js'
import { type DayAnswer, type DayQuestion, type DaySource, NOTHING_READ, toDayAnswer } from './day-source.js'

const TIMEOUT_MS = 60_000
const RETRIES = 2

/** Gets the zip of a day, checked against its hash if one exists; null if there is no file. */
type ReadArchive = (of: ArchiveDay) => Promise<{ readonly zip: Uint8Array | null; readonly requests: number }>

/** Days of Binance from its bulk files, one request at a time. */
export function liveArchive(http: HttpClient): DaySource {
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ARCHIVE_BYTES, retries: RETRIES }
  const rate = venueRequestRate(binance.venue)
  const request = ({ url, headers }: FeedRequest) => http.request({ url, headers, ...limits, rate })
  return archiveSource(async (of) => {
    const { status, body } = await request(archiveRequest(of))
    if (status === 404) return { zip: null, requests: 1 }
    assertStatus(status, archiveRequest(of))
    const checksum = await request(checksumRequest(of))
    assertStatus(checksum.status, checksumRequest(of))
    assertChecksum(body, checksum.body)
    return { zip: body, requests: 2 }
  })
}

/** Days from local files, by start of day. If a checksum file exists, it is checked. */
export function archiveFiles(paths: ReadonlyMap<number, string>): DaySource {
  return archiveSource(async ({ day }) => {
    const path = paths.get(Date.parse(day))
    if (path === undefined) return { zip: null, requests: 0 }
    const zip = await readBounded(path)
    if (zip === null) throw new IngestError(`${path} cannot be read: the file does not exist`)
    const checksum = await readBounded(`${path}.CHECKSUM`)
    if (checksum !== null) assertChecksum(zip, checksum)
    return { zip, requests: 0 }
  })
}

function archiveSource(read: ReadArchive): DaySource {
  return {
    venue: binance.venue,
    provider: binance.provider,
    ask: async (question) => {
      const day = toIsoDate(question.day)
      const pair = pairOnDay(binance.venue, question, day)
      if (pair === null) return { answer: { kind: 'not_listed' }, ...NOTHING_READ }
      const of = { symbol: pair.symbol, day }
      try {
        const { zip, requests } = await read(of)
        const { items, absent } =
          zip === null ? { items: [], absent: 0 } : parseArchive(zip, of, { pair, now: question.now })
        const bars = items.flatMap((item) => (item.kind === 'row' ? item.row : []))
        const rejections = items.flatMap((item) => (item.kind === 'rejected' ? named(question, item) : []))
        const account = { read: items.length + absent, rejections, absent }
        return { answer: toDayAnswer(bars, rejections), ...account, requests }
      } catch (error) {
        return { ...refused(question, error), read: 1, absent: 0, requests: 1 }
      }
    },
  }
}

function named({ slug, day }: DayQuestion, { position, reason }: Rejection): Rejection {
  return { position: `${slug} ${toIsoDate(day)}, ${position}`, reason }
}

function refused(
  question: DayQuestion,
  error: unknown,
): { answer: DayAnswer; rejections: readonly Rejection[] } {
  if (!(error instanceof BrokenBody) && !(error instanceof UpstreamError)) throw error
  const reason = errorText(error)
  const isOut = error instanceof UpstreamError && error.kind !== 'too_large'
  const retryAfterMs = error instanceof UpstreamError ? error.retryAfterMs : null
  return {
    answer: { kind: 'incomplete', reason, isOut, retryAfterMs },
    rejections: [named(question, { position: 'archive', reason })],
  }
}

function assertStatus(status: number, { url }: FeedRequest): void {
  if (status !== 200) throw new BrokenBody(`${redactUrl(url)} answered with status ${status}`)
}

function assertChecksum(zip: Uint8Array, checksum: Uint8Array): void {
  const [wanted, found] = [readChecksum(checksum), sha256Hex(zip)]
  if (wanted !== found) throw new BrokenBody(`the SHA-256 is ${found}, but the checksum file has ${wanted}`)
}

/** Null if the file does not exist. */
async function readBounded(path: string): Promise<Uint8Array | null> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new IngestError(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (facts === null) return null
  if (facts.size > MAX_ARCHIVE_BYTES)
    throw new BrokenBody(`${basename(path)} has more than ${MAX_ARCHIVE_BYTES} bytes`)
  return readFile(path)
}
