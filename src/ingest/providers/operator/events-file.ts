import {
  EVENT_TYPE_IDS,
  type EventFacts,
  type EventIdentity,
  type EventRow,
  eventHkOf,
} from '../../../domains/events/model.js'
import type { Read } from '../../bodies/read.js'
import type { ParseContext, Parsed, StreamFeed } from '../../feed.js'
import {
  type AssetsBySlug,
  type EventAsset,
  readEventAssetIds,
  readEventDay,
  readText,
  readUrl,
} from './event-cells.js'
import { tableOrJsonRows } from './event-rows.js'
import { oneOf } from './instrument-cells.js'
import { keyedReader } from './keyed-lines.js'
import { cellFaultsOf, readWithdrawn } from './listing-cells.js'
import { operator } from './provider.js'
import type { TableRow } from './table.js'

const COLUMNS = {
  known: ['event_id', 'event_type', 'date', 'title', 'description', 'url', 'source', 'assets', 'withdrawn'],
  required: ['event_type', 'date', 'title', 'assets'],
} as const

const MAX_ID_LENGTH = 200
const MAX_TITLE_LENGTH = 300
const MAX_DESCRIPTION_LENGTH = 2_000
const MAX_SOURCE_LENGTH = 200

/** The columns of the file and what they mean, for the help text. */
export const EVENTS_FILE_HELP = [
  'header: event_type, date (a day, up to a year ahead), title, assets (slugs of crypto assets, separated by blanks), and',
  'where you like description, url, source (who reported it), event_id, withdrawn; or JSON lines with the same names',
  `event_type: ${EVENT_TYPE_IDS.slice(0, 7).join(', ')},`,
  `${EVENT_TYPE_IDS.slice(7, 13).join(', ')},`,
  EVENT_TYPE_IDS.slice(13).join(', '),
  'a later line of the same event_id corrects the event; without one, of the same event_type, date and title',
  'withdrawn (yes): takes the event back',
] as const

/** An event of the operator's, or that there is none any more. */
export type OwnEvent =
  | { readonly kind: 'stated'; readonly row: EventRow }
  | { readonly kind: 'withdrawn'; readonly eventHk: string }

/** The operator's own events. */
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

/** The rows of such a file; the synthetic ones are read the same way. */
export async function* parseEvents(
  body: AsyncIterable<Uint8Array>,
  { now }: Pick<ParseContext, 'now'>,
  bySlug: AssetsBySlug,
): AsyncGenerator<Parsed<OwnEvent>> {
  const parsed = keyedReader({
    nameColumn: 'title',
    read: (row) => readEvent(row, now, bySlug),
    keyOf: (event: OwnEvent) => (event.kind === 'stated' ? event.row : event).eventHk,
  })
  for await (const row of tableOrJsonRows(body, COLUMNS)) yield parsed(row)
}

const typeCell = oneOf(EVENT_TYPE_IDS)

function readEvent(row: TableRow, now: Date, bySlug: AssetsBySlug): Read<OwnEvent> {
  const eventId = readText(row, 'event_id', MAX_ID_LENGTH)
  const isWithdrawn = readWithdrawn(row)
  if ('wrong' in eventId || 'wrong' in isWithdrawn)
    return { wrong: cellFaultsOf([eventId, isWithdrawn]).join('; ') }
  // An id alone says what is taken back.
  if (eventId.value !== null && isWithdrawn.value)
    return { value: { kind: 'withdrawn', eventHk: eventHkOf({ eventId: eventId.value }) } }
  const key = readKey(row, now)
  if ('wrong' in key) return key
  const identity: EventIdentity =
    eventId.value === null ? { eventId: null, facts: key.value } : { eventId: eventId.value }
  const eventHk = eventHkOf(identity)
  if (isWithdrawn.value) return { value: { kind: 'withdrawn', eventHk } }
  const description = readText(row, 'description', MAX_DESCRIPTION_LENGTH)
  const url = readUrl(row)
  const reportedBy = readText(row, 'source', MAX_SOURCE_LENGTH)
  const assetIds = readEventAssetIds(row, bySlug)
  if ('wrong' in description || 'wrong' in url || 'wrong' in reportedBy || 'wrong' in assetIds)
    return { wrong: cellFaultsOf([description, url, reportedBy, assetIds]).join('; ') }
  return {
    value: {
      kind: 'stated',
      row: {
        ...key.value,
        eventHk,
        description: description.value,
        url: url.value,
        reportedBy: reportedBy.value,
        assetIds: assetIds.value,
      },
    },
  }
}

function readKey(row: TableRow, now: Date): Read<Pick<EventFacts, 'eventType' | 'date' | 'title'>> {
  const type = typeCell(row.cell('event_type') ?? '')
  const eventType = 'wrong' in type ? { wrong: `event_type ${type.wrong}` } : type
  const date = readEventDay(row, now)
  const title = readText(row, 'title', MAX_TITLE_LENGTH)
  if ('wrong' in eventType || 'wrong' in date || 'wrong' in title)
    return { wrong: cellFaultsOf([eventType, date, title]).join('; ') }
  if (title.value === null) return { wrong: 'title is missing' }
  return { value: { eventType: eventType.value, date: date.value, title: title.value } }
}
