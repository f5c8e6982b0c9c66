import type { AsOf } from '../../core/as-of.js'
import type { IsoDate } from '../../core/time.js'
import { CORPORATE_ACTION, DIVIDEND } from '../../generated/columns.js'
import { type AsOfRead, asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import type { Sql } from '../../platform/database/database.js'
import { asNumbers, column, only, orNull, type RowOf, selectList } from '../../platform/database/statement.js'
import { isNotRepeated } from './dividend-sum-model.js'
import type { ActionType } from './model.js'

/** A part of a list. `asOf` selects what was known at that instant, null what is known now. */
export interface EventRange {
  readonly limit: number
  readonly offset: number
  readonly asOf: AsOf | null
}

/** A page of a list, newest first, and the number of rows on all pages. */
export interface EventPage<Event> {
  readonly events: readonly Event[]
  readonly total: number
}

const SHOWN_ACTION = {
  actionType: column<ActionType>('text'),
  ...asNumbers(only(CORPORATE_ACTION, 'exDate', 'ratio', 'valueRatio', 'description', 'source')),
  /** The former ticker of a ticker_change. */
  formerTicker: 'text?',
} as const

/** A corporate action as served. */
export type ShownAction = RowOf<typeof SHOWN_ACTION>

/** An empty page is a single row without an event. */
const OF_ASSET = { assetId: 'int4', total: 'int4' } as const

// A page of actions comes from two tables.
const ACTIONS = asOfStatement(
  'lacks page per key',
  { ...OF_ASSET, ...orNull(SHOWN_ACTION) },
  3,
  null,
  (known) => `select requested.asset_id as "assetId", counted.total, page.*
    from unnest($1::int[]) as requested(asset_id)
    cross join lateral (
      select ((select count(*) from corporate_action as a
          where a.asset_id = requested.asset_id and not a.is_withdrawn and ${known('a')})
        + (select count(*) from instrument_identifier as i where i.asset_id = requested.asset_id
            and i.scheme = 'ticker' and i.valid_to is not null and ${known('i')}))::int as total
    ) as counted
    left join lateral (
      select a.action_type::text as "actionType", a.ex_date as "exDate", a.ratio::float8 as ratio,
        a.value_ratio::float8 as "valueRatio", a.description,
        null::text as "formerTicker", a.source
      from corporate_action as a where a.asset_id = requested.asset_id and not a.is_withdrawn and ${known('a')}
      union all
      select 'ticker_change', i.valid_to, null, null, null, i.value, i.source
      from instrument_identifier as i
      where i.asset_id = requested.asset_id and i.scheme = 'ticker' and i.valid_to is not null and ${known('i')}
      order by "exDate" desc, "actionType", "formerTicker" limit $2 offset $3
    ) as page on true`,
)

const SHOWN_DIVIDEND = {
  ...only(DIVIDEND, 'exDate', 'payDate', 'frequency', 'source'),
  amount: 'float8',
  currency: 'text',
} as const

/** A dividend as served. */
export type ShownDividend = RowOf<typeof SHOWN_DIVIDEND>

const DIVIDENDS = asOfStatement(
  'lacks page per key',
  { ...OF_ASSET, ...orNull(SHOWN_DIVIDEND) },
  3,
  null,
  (known) => `select requested.asset_id as "assetId", counted.total, page.*
    from unnest($1::int[]) as requested(asset_id)
    cross join lateral (
      select count(*)::int as total from dividend as d
      where d.asset_id = requested.asset_id and not d.is_withdrawn and ${known('d')} and ${isNotRepeated('d', known)}
    ) as counted
    left join lateral (
      select ${selectList(SHOWN_DIVIDEND, 'd')}
      from dividend as d where d.asset_id = requested.asset_id and not d.is_withdrawn and ${known('d')}
        and ${isNotRepeated('d', known)}
      order by d.ex_date desc, d.frequency limit $2 offset $3
    ) as page on true`,
)

type OfAsset = RowOf<typeof OF_ASSET>

/** The corporate actions of each asset in the range, by the key of the asset as text, in one statement. */
export async function loadActions(
  sql: Sql,
  assetIds: readonly number[],
  range: EventRange,
): Promise<ReadonlyMap<string, EventPage<ShownAction>>> {
  const rows = await loadRows(ACTIONS, sql, assetIds, range)
  return groupIntoPages(rows, (row) => (isEvent<ShownAction>(row) ? row : null))
}

/** The dividends of each asset in the range, by the key of the asset as text, in one statement. */
export async function loadDividends(
  sql: Sql,
  assetIds: readonly number[],
  range: EventRange,
): Promise<ReadonlyMap<string, EventPage<ShownDividend>>> {
  const rows = await loadRows(DIVIDENDS, sql, assetIds, range)
  return groupIntoPages(rows, (row) => (isEvent<ShownDividend>(row) ? row : null))
}

function loadRows<Row>(
  read: AsOfRead<Row>,
  sql: Sql,
  assetIds: readonly number[],
  { limit, offset, asOf }: EventRange,
): Promise<readonly Row[]> {
  return read(sql, [assetIds, limit, offset], asOf)
}

/** The columns of an event are either all set or all null. */
function isEvent<Event>(row: { readonly exDate: IsoDate | null }): row is typeof row & Event {
  return row.exDate !== null
}

function groupIntoPages<Row extends OfAsset, Event>(
  rows: readonly Row[],
  eventOf: (row: Row) => Event | null,
): ReadonlyMap<string, EventPage<Event>> {
  const pages = new Map<string, { events: Event[]; total: number }>()
  for (const row of rows) {
    const key = String(row.assetId)
    const page = pages.get(key) ?? { events: [], total: row.total }
    pages.set(key, page)
    const event = eventOf(row)
    if (event !== null) page.events.push(event)
  }
  return pages
}
