import type { IsoDate } from '../../../core/time.js'
import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  readJson,
  shown,
  textCell,
} from '../../bodies/json/json-body.js'
import { readPriceDay } from '../../bodies/price-cells.js'
import type { Read } from '../../bodies/read.js'
import { BrokenBody, type ParseContext, type Parsed, RetryLater } from '../../feed.js'

/** A row of the body: what Tiingo states about a trading day. */
interface DailyRow {
  readonly date: IsoDate
  readonly cells: JsonObject
}

/** Tiingo answers with status 200 and this text when a limit of the plan is used up. */
const LIMIT_TEXT = /run over your/i

const LIMIT_WAIT_MS = 3_600_000

/** Enough to find the sentence about a limit. */
const BEGINNING_BYTES = 400

/**
 * The rows of an answer about one ticker, in its order. `read` makes a row of a day, or null where the day has none.
 * Throws RetryLater when the body says that a limit is used up, and BrokenBody for any other body that is no list.
 */
export function* dailyRows<Row>(
  body: Uint8Array,
  { now, onRead, onAbsent }: ParseContext,
  read: (row: DailyRow) => Read<Row> | null,
): Generator<Parsed<Row>> {
  assertWithinLimit(body)
  const { value, cut } = readJson(body)
  if (!isList(value)) throw new BrokenBody(`the body is ${reasonOf(value)}, not a list of days`)
  const seen = new Set<IsoDate>()
  for (const [at, item] of value.entries()) {
    const position = `day ${at + 1}`
    const row = cut.has(item) ? { wrong: 'the body is cut off within the day' } : readRow(item, now, seen)
    const parsed = 'wrong' in row ? row : read(row.value)
    if (parsed === null) onAbsent()
    else if ('wrong' in parsed) yield { kind: 'rejected', position, reason: parsed.wrong }
    else yield { kind: 'row', row: parsed.value }
  }
  if (cut.has(value) && !cut.has(value.at(-1) ?? null))
    yield { kind: 'rejected', position: `after day ${value.length}`, reason: 'the body is cut off' }
  onRead(1)
}

function assertWithinLimit(body: Uint8Array): void {
  const beginning = new TextDecoder().decode(body.subarray(0, BEGINNING_BYTES))
  if (LIMIT_TEXT.test(beginning))
    throw new RetryLater('Tiingo says that a limit of your plan is used up', LIMIT_WAIT_MS)
}

/** Tiingo states errors as an object with `detail`. */
function reasonOf(value: Json): string {
  const detail = isJsonObject(value) ? value.get('detail') : undefined
  return detail === undefined ? shown(value) : `the message ${shown(detail)}`
}

function readRow(item: Json, now: Date, seen: Set<IsoDate>): Read<DailyRow> {
  if (!isJsonObject(item)) return { wrong: `it is ${shown(item)}, not an object` }
  const date = readPriceDay(textCell(item, 'date').slice(0, 10), now)
  if ('wrong' in date) return date
  if (seen.has(date.value)) return { wrong: `date ${date.value} appears twice` }
  seen.add(date.value)
  return { value: { date: date.value, cells: item } }
}
