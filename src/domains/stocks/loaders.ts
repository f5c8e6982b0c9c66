import { asOfText } from '../../core/as-of.js'
import type { Sql } from '../../platform/database/database.js'
import { defineGroupedLoader, type LoaderOf } from '../../platform/request/loaders/define-loader.js'
import { type EventPage, type EventRange, loadActions, loadDividends } from './event-store.js'

/** A page of the events of a stock. */
export interface EventKey extends EventRange {
  readonly assetId: number
}

type ReadPages<Event> = (
  sql: Sql,
  assetIds: readonly number[],
  range: EventRange,
) => Promise<ReadonlyMap<string, EventPage<Event>>>

function pageLoader<Event>(read: ReadPages<Event>): LoaderOf<EventKey, EventPage<Event>> {
  return defineGroupedLoader({
    groupText: ({ limit, offset, asOf }) => `${limit} ${offset} ${asOfText(asOf)}`,
    itemText: ({ assetId }) => String(assetId),
    load: (keys, { database }) =>
      read(
        database,
        keys.map(({ assetId }) => assetId),
        keys[0],
      ),
  })
}

/** Corporate actions of a stock, newest first. All stocks with the same range share one statement. */
export const actionPage = pageLoader(loadActions)

/** Dividends of a stock, newest first. All stocks with the same range share one statement. */
export const dividendPage = pageLoader(loadDividends)
