import { asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import type { Sql } from '../../platform/database/database.js'
import { defineLoader, type LoaderOf } from '../../platform/request/loaders/define-loader.js'
import { type EventPage, type EventRange, loadActions, loadDividends } from './event-store.js'

/** A page of the events of a stock. */
export interface EventKey extends EventRange {
  readonly assetId: number
}

const rangeText = ({ limit, offset, asOf }: EventRange) => `${limit} ${offset} ${asOfText(asOf)}`
const keyText = (key: EventKey) => `${key.assetId} ${rangeText(key)}`

type ReadPages<Event> = (
  sql: Sql,
  assetIds: readonly number[],
  range: EventRange,
) => Promise<ReadonlyMap<string, EventPage<Event>>>

function pageLoader<Event>(read: ReadPages<Event>): LoaderOf<EventKey, EventPage<Event>> {
  return defineLoader(async (keys: readonly EventKey[], { database }) => {
    const pages = new Map<string, EventPage<Event>>()
    for (const group of groupBy(keys, rangeText).values()) {
      const [range] = group
      const assetIds = group.map(({ assetId }) => assetId)
      for (const [assetId, page] of await read(database, assetIds, range))
        pages.set(`${assetId} ${rangeText(range)}`, page)
    }
    return pages
  }, keyText)
}

/** Corporate actions of a stock, newest first. All stocks with the same range share one statement. */
export const actionPage = pageLoader(loadActions)

/** Dividends of a stock, newest first. All stocks with the same range share one statement. */
export const dividendPage = pageLoader(loadDividends)
