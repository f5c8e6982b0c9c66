import {
  computeEventKey,
  EVENT_TYPE_IDS,
  type EventContent,
  type EventRow,
} from '../../../domains/events/model.js'
import { named, type Read, readAll, readOn, required } from '../../bodies/read.js'
import type { ParseContext, Parsed, StreamFeed } from '../../feed.js'
import { operator } from '../providers.js'
import {
  type AssetsBySlug,
  type EventAsset,
  readEventAssetIds,
  readEventDay,
  readText,
  readUrl,
} from './event-cells.js'
import { tableOrJsonRows } from './event-rows.js'
import { cellOneOf } from './instrument-cells.js'
import { keyedRows } from './keyed-lines.js'
import { readWithdrawn } from './listing-cells.js'
import type { TableRow } from './table.js'

const COLUMNS = {
  known: ['event_id', 'event_type', 'date', 'title', 'description', 'url', 'source', 'assets', 'withdrawn'],
  required: ['event_type', 'date', 'title', 'assets'],
} as const

const MAX_ID_LENGTH = 200
const MAX_TITLE_LENGTH = 300
const MAX_DESCRIPTION_LENGTH = 2_000
const MAX_SOURCE_LENGTH = 200

/** The columns of the file and their meaning, for the help text. */
export const EVENTS_FILE_HELP = [
  'header: event_type, date (a day, up to a year ahead), title, assets (slugs of crypto assets, separated by blanks), and',
  'optionally description, url, source (who reported it), event_id, withdrawn; or JSON lines with the same names',
  `event_type: ${EVENT_TYPE_IDS.slice(0, 7).join(', ')},`,
  `${EVENT_TYPE_IDS.slice(7, 13).join(', ')},`,
  EVENT_TYPE_IDS.slice(13).join(', '),
  'a later file corrects the event of the same event_id; without one, of the same event_type, date and title',
  'withdrawn (yes): withdraws the event',
] as const

/** An event of the operator, or its withdrawal. */
export type OwnEvent =
  | { readonly kind: 'stated'; readonly row: EventRow }
  | { readonly kind: 'withdrawn'; readonly eventHk: string }

/** The operator's events. */
export function eventsFile(assets: readonly EventAsset[]): StreamFeed<OwnEvent> {
  const bySlug = new Map(assets.map((asset) => [asset.slug, asset]))
  return {
    id: 'events',
    provider: operator,
    dataset: 'events',
    description: 'Events of crypto assets as you know them, from a file of CSV or JSON lines',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
    parseStream: (body, context) => parseEvents(body, context, bySlug),
  }
}

/** Also reads the synthetic rows. */
export async function* parseEvents(
  body: AsyncIterable<Uint8Array>,
  { now }: Pick<ParseContext, 'now'>,
  bySlug: AssetsBySlug,
): AsyncGenerator<Parsed<OwnEvent>> {
  const rows: (TableRow | Parsed<never>)[] = []
  for await (const row of tableOrJsonRows(body, COLUMNS)) rows.push(row)
  yield* keyedRows(rows, {
    nameColumn: 'title',
    read: (row) => readEvent(row, now, bySlug),
    keyOf: (event: OwnEvent) => (event.kind === 'stated' ? event.row : event).eventHk,
  })
}

const typeCell = cellOneOf(EVENT_TYPE_IDS)

function readEvent(row: TableRow, now: Date, bySlug: AssetsBySlug): Read<OwnEvent> {
  const first = readAll({
    eventId: readText(row, 'event_id', MAX_ID_LENGTH),
    isWithdrawn: readWithdrawn(row),
  })
  return readOn(first, ({ eventId, isWithdrawn }): Read<OwnEvent> => {
    // An id is enough to withdraw an event.
    if (eventId !== null && isWithdrawn)
      return { value: { kind: 'withdrawn', eventHk: computeEventKey({ eventId }) } }
    return readOn(readKey(row, now), (key): Read<OwnEvent> => {
      const eventHk = computeEventKey(eventId === null ? { eventId, facts: key } : { eventId })
      return isWithdrawn
        ? { value: { kind: 'withdrawn', eventHk } }
        : readOn(readDetails(row, bySlug), (details): Read<OwnEvent> => {
            return { value: { kind: 'stated', row: { ...key, eventHk, ...details } } }
          })
    })
  })
}

function readKey(row: TableRow, now: Date): Read<Pick<EventContent, 'eventType' | 'date' | 'title'>> {
  return readAll({
    eventType: named('event_type', typeCell(row.cell('event_type') ?? '')),
    date: readEventDay(row, now),
    title: required('title', readText(row, 'title', MAX_TITLE_LENGTH)),
  })
}

function readDetails(row: TableRow, bySlug: AssetsBySlug) {
  return readAll({
    description: readText(row, 'description', MAX_DESCRIPTION_LENGTH),
    url: readUrl(row),
    reportedBy: readText(row, 'source', MAX_SOURCE_LENGTH),
    assetIds: readEventAssetIds(row, bySlug),
  })
}
