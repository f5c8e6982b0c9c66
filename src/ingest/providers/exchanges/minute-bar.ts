import type { Venue } from '../../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import { Decimal } from '../../../core/decimal.js'
import { MINUTE_MS } from '../../../core/time.js'
import { isList, type Json, type JsonBody, type JsonList, shown } from '../../bodies/json/json-body.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { BrokenBody, type Parsed } from '../../feed.js'
import { type PriceCells, readPrices, readVolume } from './cells.js'
import type { AnswerContext, ParsedBars } from './venue-adapter.js'
import { VenueOut } from './venue-error.js'

/** The first block of Bitcoin, 3 January 2009; no venue has an older minute. */
const FIRST_MS = Date.UTC(2009, 0, 3)

/** Tolerance of a turnover around volume x low .. volume x high, because venues round: this share and a cent. */
const TURNOVER_SLACK = new Decimal('0.01')
const ROUNDING_SLACK = new Decimal('0.01')

/** The cells of one row by meaning. */
export interface BarCells extends PriceCells {
  /** Milliseconds since 1970, converted from the venue's unit. */
  readonly startMs: Read<number>
  readonly baseVolume: Json | undefined
  /** Null if the venue does not state it. */
  readonly quoteVolume: Json | undefined
  readonly vwap: Json | undefined
  /** False if the venue says that the bar is not final. */
  readonly isFinal: boolean
}

/** How the rows of a venue become bars. */
interface BarFormat {
  readonly venue: Venue
  readonly context: AnswerContext
  /** Whether bars may begin within a minute, as on some days of the venue; each belongs to that minute. */
  readonly isShifted?: true
  cellsOf(row: Json): Read<BarCells>
}

/** The complete rows of a body, and whether the body is cut off. */
export interface Rows {
  readonly rows: JsonList
  readonly isCut: boolean
}

/** The complete rows of a body that is a list. Throws VenueOut if it is not a list, and like `wholeRows`. */
export function wholeBody(body: JsonBody): Rows {
  const { value } = body
  if (!isList(value)) throw new VenueOut(`the body is ${shown(value)}, not a list of rows`)
  return wholeRows(body, value, 'the body')
}

/** The complete rows of a list. Throws BrokenBody if it is not a list or is cut off within its first row. */
export function wholeRows(body: JsonBody, list: Json | undefined, name: string): Rows {
  if (!isList(list)) throw new BrokenBody(`${name} is ${shown(list)}, not a list of rows`)
  const rows = list.filter((row) => !body.cut.has(row))
  if (body.cut.size > 0 && rows.length === 0)
    throw new BrokenBody('the body is cut off before its first row ends')
  return { rows, isCut: body.cut.size > 0 }
}

/** Rejected rows, then bars by time. Rows that the venue may still change count as absent. */
export function parseBars({ rows, isCut }: Rows, format: BarFormat): ParsedBars {
  const rejected: Parsed<VenueBar>[] = []
  const taken = new Map<number, { readonly bar: VenueBar; readonly place: number }>()
  const contested = new Set<number>()
  let absent = 0
  for (const [index, row] of rows.entries()) {
    const place = index + 1
    const read = readBar(row, format)
    if ('wrong' in read) {
      rejected.push({ kind: 'rejected', position: `row ${place}`, reason: read.wrong })
    } else if (read.value === null) {
      absent += 1
    } else {
      const bar = read.value
      const ms = bar.ts.getTime()
      const earlier = taken.get(ms)
      if (earlier === undefined) taken.set(ms, { bar, place })
      else if (contested.has(ms) || !isSameBar(bar, earlier.bar)) {
        const reason = `${bar.ts.toISOString()} has different figures in row ${earlier.place}`
        rejected.push({ kind: 'rejected', position: `row ${place}`, reason })
        contested.add(ms)
      } else absent += 1
    }
  }
  for (const ms of contested) {
    const reason = `${new Date(ms).toISOString()} is repeated with different figures; no row is used`
    rejected.push({ kind: 'rejected', position: `row ${taken.get(ms)?.place}`, reason })
    taken.delete(ms)
  }
  if (isCut) {
    rejected.push({
      kind: 'rejected',
      position: `row ${rows.length + 1}`,
      reason: 'the body is cut off here',
    })
  }
  const bars = [...taken.values()].map(({ bar }) => bar).sort((a, b) => a.ts.getTime() - b.ts.getTime())
  return { items: [...rejected, ...bars.map((row) => ({ kind: 'row' as const, row }))], absent }
}

/** Null for a bar that is not final. */
function readBar(row: Json, format: BarFormat): Read<VenueBar | null> {
  return readOn(format.cellsOf(row), (cells) =>
    readOn(readStart(cells.startMs, format), (startMs): Read<VenueBar | null> => {
      const isOver = startMs + MINUTE_MS <= format.context.now.getTime()
      const minute = Math.floor(startMs / MINUTE_MS) * MINUTE_MS
      return isOver && cells.isFinal ? readFinalBar(minute, cells, format) : { value: null }
    }),
  )
}

function readFinalBar(startMs: number, cells: BarCells, { venue, context }: BarFormat): Read<VenueBar> {
  const figures = readAll({
    prices: readPrices(cells),
    baseVolume: readVolume(cells.baseVolume, 'volume'),
    quoteVolume: readOptional(cells.quoteVolume, 'quote volume'),
    vwap: readOptional(cells.vwap, 'vwap'),
  })
  return readOn(figures, ({ prices, vwap, ...volumes }) => {
    // Kraken writes 0.0 as the VWAP of a minute without trades.
    const ownVwap = volumes.baseVolume.isZero() ? null : vwap
    const { quoteCurrency } = context.pair
    const bar = { venue, ts: new Date(startMs), ...prices, ...volumes, vwap: ownVwap, quoteCurrency }
    const wrong = wrongTurnover(bar)
    return wrong === null ? { value: bar } : { wrong }
  })
}

function readOptional(cell: Json | undefined, name: string): Read<Decimal | null> {
  return cell === null ? { value: null } : readVolume(cell, name)
}

/** A turnover that no price of the bar could give shows a wrong column or figure. */
function wrongTurnover(bar: VenueBar): string | null {
  const { low, high, baseVolume, quoteVolume, vwap } = bar
  if (quoteVolume !== null && !isTurnoverOf(bar, quoteVolume)) {
    return `quote volume ${quoteVolume} does not fit volume ${baseVolume} at ${low} to ${high}`
  }
  return vwap === null || isTurnoverOf(bar, vwap.times(baseVolume))
    ? null
    : `vwap ${vwap} does not fit low ${low} and high ${high}`
}

function isTurnoverOf({ low, high, baseVolume }: VenueBar, turnover: Decimal): boolean {
  const least = low.times(baseVolume).times(new Decimal(1).minus(TURNOVER_SLACK)).minus(ROUNDING_SLACK)
  const most = high.times(baseVolume).times(TURNOVER_SLACK.plus(1)).plus(ROUNDING_SLACK)
  return turnover.greaterThanOrEqualTo(least) && turnover.lessThanOrEqualTo(most)
}

function readStart(start: Read<number>, { context: { now }, isShifted }: BarFormat): Read<number> {
  return readOn(start, (startMs) => {
    if (startMs < FIRST_MS) return { wrong: `time ${startMs} ms is before 2009` }
    // One minute of tolerance for clocks. Such a bar is not final and is left out.
    if (startMs > now.getTime() + MINUTE_MS) return { wrong: `time ${startMs} ms is in the future` }
    if (isShifted !== true && startMs % MINUTE_MS !== 0)
      return { wrong: `time ${startMs} ms does not start a minute` }
    return start
  })
}

/** The length of a venue's unit of time. */
export type EpochUnit = 's' | 'ms' | 'us'

/** Milliseconds since 1970 from whole units; microseconds may give a fraction. */
export function readEpoch(cell: Json | undefined, unit: EpochUnit): Read<number> {
  if (typeof cell !== 'string' || !/^\d{1,16}$/.test(cell)) {
    return { wrong: `time is ${shown(cell)}, not whole units since 1970` }
  }
  const units = Number(cell)
  if (unit === 'us') return { value: units / 1000 }
  return { value: unit === 's' ? units * 1000 : units }
}

/** The cells of a row that is a list of at least that many. */
export function readList(row: Json, cells: number): Read<JsonList> {
  if (!isList(row)) return { wrong: `the row is ${shown(row)}, not a list of ${cells} cells` }
  return row.length < cells ? { wrong: `has ${row.length} cells instead of ${cells}` } : { value: row }
}

/** Whether two bars of one minute are equal. */
export function isSameBar(a: VenueBar, b: VenueBar): boolean {
  return figuresOf(a).every((figure, at) => figure?.toFixed() === figuresOf(b)[at]?.toFixed())
}

function figuresOf(bar: VenueBar): readonly (Decimal | null)[] {
  return [bar.open, bar.high, bar.low, bar.close, bar.baseVolume, bar.quoteVolume, bar.vwap]
}
