import { ASSET_EVENT, ASSET_EVENT_ASSET } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
  type WrittenRows,
} from '../../platform/bi-temporal/series-table.js'
import { missingWithdrawer } from '../../platform/bi-temporal/withdraw/withdraw-missing.js'
import { seriesWithdrawer } from '../../platform/bi-temporal/withdraw/withdraw-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import type { EventRow } from './model.js'

interface EventKey {
  readonly eventHk: string
}

interface EventAsset extends EventKey {
  readonly assetId: number
}

const EVENT_KEYS = {
  name: 'asset_event',
  key: storedColumns(ASSET_EVENT, 'eventHk'),
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<EventKey>

const EVENT_ASSETS = {
  name: 'asset_event_asset',
  key: storedColumns(ASSET_EVENT_ASSET, 'eventHk', 'assetId'),
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<EventAsset>

const writeFacts = seriesWriter<EventRow>({
  ...EVENT_KEYS,
  values: [
    storedColumn(ASSET_EVENT, 'eventDate', ({ date }) => date),
    ...storedColumns(ASSET_EVENT, 'eventType', 'title', 'description', 'url', 'reportedBy'),
  ],
})
const withdrawFacts = seriesWithdrawer<EventKey>(EVENT_KEYS)
// A row has only its key and its source.
const writeAssets = seriesWriter<EventAsset>({ ...EVENT_ASSETS, values: [SOURCE_COLUMN], notes: [] })
const withdrawAssets = missingWithdrawer<EventAsset>(EVENT_ASSETS, 'event_hk')

/**
 * Adds and revises events with their assets; see `seriesWriter`. The counts are those of events; changed assets of
 * events are in `alsoChanged`.
 */
export async function writeEvents(
  tx: Transaction,
  events: readonly EventRow[],
  known: Known,
): Promise<Required<WrittenRows>> {
  const facts = await writeFacts(tx, events, known)
  const members = events.flatMap(({ eventHk, assetIds }) => assetIds.map((assetId) => ({ eventHk, assetId })))
  const assets = await writeAssets(tx, members, known)
  const owners = events.map(({ eventHk }) => eventHk)
  const gone = await withdrawAssets(tx, owners, members, known)
  return { ...facts, alsoChanged: assets.added + assets.revised + gone }
}

/** Withdraws events with their assets and returns the number of known events. */
export async function withdrawEvents(
  tx: Transaction,
  eventHks: readonly string[],
  known: Known,
): Promise<number> {
  const gone = await withdrawFacts(
    tx,
    eventHks.map((eventHk) => ({ eventHk })),
    known,
  )
  await withdrawAssets(tx, eventHks, [], known)
  return gone
}

/** Deletes the events of a source and returns the number of deleted rows. */
export const removeEvents = sourceRemover(({ assetEventAsset, assetEvent }) => [assetEventAsset, assetEvent])
