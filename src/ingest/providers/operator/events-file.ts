import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import {
  computeEventKey,
  EVENT_TYPE_IDS,
  type EventRow,
  FIRST_EVENT_DAY,
  MAX_DAYS_AHEAD,
} from '../../../domains/events/model.js'
import { type Read, readOn } from '../../bodies/read.js'
import { quoted, type StreamFeed } from '../../feed.js'
import { type AssetsBySlug, assetsBySlug, type LineAsset, readCryptoAsset } from './asset-cells.js'
import {
  type CellReader,
  cellOneOf,
  dayCell,
  neededColumn,
  type OwnColumn,
  ownColumn,
  plainTextCell,
  readColumns,
  type TableRow,
  type TableTexts,
  WITHDRAWN,
} from './columns.js'
import { tableOrJsonRows } from './event-rows.js'
import { keyedRows, OPERATOR_FEED } from './keyed-lines.js'
import type { RejectedLine } from './table.js'

const MAX_ID_LENGTH = 200
const MAX_TITLE_LENGTH = 300
const MAX_DESCRIPTION_LENGTH = 2_000
const MAX_SOURCE_LENGTH = 200
const MAX_URL_LENGTH = 2_000

/** The most assets of an event. */
const MAX_ASSETS = 50

/** An id is enough to withdraw an event. */
const FIRST = {
  eventId: ownColumn(
    'event_id',
    'a later file corrects the event of the same event_id; without one, of the same event_type, date and title',
    lineCell(MAX_ID_LENGTH),
  ),
  isWithdrawn: WITHDRAWN,
}

const KEY = {
  eventType: ownColumn('event_type', EVENT_TYPE_IDS.join(', '), cellOneOf(EVENT_TYPE_IDS), true),
  date: neededColumn('date', 'a day, up to a year ahead', readEventDay),
  title: neededColumn('title', '', lineCell(MAX_TITLE_LENGTH)),
}

const DETAILS = {
  description: ownColumn('description', '', lineCell(MAX_DESCRIPTION_LENGTH)),
  url: ownColumn('url', '', readUrl),
  reportedBy: ownColumn('source', 'who reported it', lineCell(MAX_SOURCE_LENGTH)),
  assetIds: {
    name: 'assets',
    text: 'slugs of crypto assets, separated by blanks',
    isRequired: true,
    read: readAssetIds,
  } satisfies OwnColumn<readonly number[], AssetsBySlug>,
}

const COLUMNS = { ...KEY, ...DETAILS, ...FIRST }

export const EVENTS_TABLE: TableTexts = {
  columns: COLUMNS,
  notes: ['the file is CSV, or JSON lines with the same names'],
}

/** An event of the operator, or its withdrawal. */
export type OwnEvent =
  | { readonly kind: 'stated'; readonly row: EventRow }
  | { readonly kind: 'withdrawn'; readonly eventHk: string }

/** The operator's events. */
export function eventsFile(assets: readonly LineAsset[]): StreamFeed<OwnEvent> {
  const bySlug = assetsBySlug(assets)
  return {
    ...OPERATOR_FEED,
    id: 'events',
    dataset: 'events',
    description: 'Events of crypto assets as you know them, from a file of CSV or JSON lines',
    parseStream: async function* (body, { now }) {
      const rows: (TableRow | RejectedLine)[] = []
      for await (const row of tableOrJsonRows(body, COLUMNS)) rows.push(row)
      yield* keyedRows(rows, now, {
        nameColumn: 'title',
        read: (row) => readEvent(row, now, bySlug),
        keyOf: (event: OwnEvent) => (event.kind === 'stated' ? event.row : event).eventHk,
      })
    },
  }
}

function readEvent(row: TableRow, now: Date, bySlug: AssetsBySlug): Read<OwnEvent> {
  return readOn(readColumns(FIRST, row, now), ({ eventId, isWithdrawn }) => {
    if (eventId !== null && isWithdrawn)
      return { value: { kind: 'withdrawn', eventHk: computeEventKey({ eventId }) } }
    return readOn(readColumns(KEY, row, now), (key): Read<OwnEvent> => {
      const eventHk = computeEventKey(eventId === null ? { eventId, facts: key } : { eventId })
      return isWithdrawn
        ? { value: { kind: 'withdrawn', eventHk } }
        : readOn(readColumns(DETAILS, row, bySlug), (details) => ({
            value: { kind: 'stated', row: { ...key, eventHk, ...details } },
          }))
    })
  })
}

/** A text whose line breaks are blanks; null for an empty cell. */
function lineCell(maxLength: number): CellReader<string | null> {
  const read = plainTextCell(maxLength)
  return (cell, context, row) => read(cell.replace(/\s+/g, ' ').trim(), context, row)
}

/** A day of an event: from the first block of Bitcoin to a year ahead. */
function readEventDay(cell: string, now: Date, row: TableRow): Read<IsoDate | null> {
  const last = addDays(toIsoDate(now), MAX_DAYS_AHEAD)
  return readOn(dayCell(cell, now, row), (day) =>
    day !== null && (day < FIRST_EVENT_DAY || day > last)
      ? { wrong: `${day} must be from ${FIRST_EVENT_DAY} to ${last}` }
      : { value: day },
  )
}

function readUrl(text: string): Read<string | null> {
  const cell = text.trim()
  if (cell === '') return { value: null }
  const url = URL.canParse(cell) ? new URL(cell) : null
  const isAddress =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isAddress && url.href.length <= MAX_URL_LENGTH
    ? { value: url.href }
    : {
        wrong: `${quoted(cell)} must be an http or https address of at most ${MAX_URL_LENGTH} characters`,
      }
}

/** Slugs may also be separated by semicolons. */
function readAssetIds(row: TableRow, bySlug: AssetsBySlug): Read<readonly number[]> {
  const slugs = [...new Set((row.cell('assets') ?? '').split(/[\s;]+/).filter((slug) => slug !== ''))]
  if (slugs.length === 0) return { wrong: 'assets is missing: name at least one slug' }
  if (slugs.length > MAX_ASSETS) return { wrong: `assets must have at most ${MAX_ASSETS} slugs` }
  const reads = slugs.map((slug) => readCryptoAsset(slug, bySlug))
  const faults = reads.flatMap((read) => ('wrong' in read ? read.wrong : []))
  return faults.length > 0
    ? { wrong: faults.join('; ') }
    : { value: reads.flatMap((read) => ('value' in read ? read.value : [])) }
}
