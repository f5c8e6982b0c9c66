import { type ChangePosition, changeCursor } from '../../core/change-position.js'
import { groupBy } from '../../core/group-by.js'
import { instantText } from '../../core/instant-text.js'
import type { ASSET } from '../../generated/columns.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { Sql } from '../database/database.js'
import type { ColumnTable, RowOf } from '../database/statement.js'
import type { ChangeTable } from './change-order.js'
import { type ChangeSelection, createChangeStatements } from './change-statements.js'

/** A change as its table has it, with its asset. */
export type ChangeRow<Columns extends ColumnTable> = RowOf<Columns> &
  ChangePosition & {
    readonly asset: Asset
    /** Provider of the change, or seed. */
    readonly provider: string
  }

interface FeedDeclaration<Columns extends ColumnTable, Kind, IsOfOneSource, Change> {
  readonly table: ChangeTable
  /** The columns of a change beside its position, source and asset. */
  readonly columns: Columns
  /** Two columns with enums, by which changes are filtered and their places are numbered. */
  readonly kinds: readonly [Kind, Kind]
  /** Only changes of the source of the dataset are served, so that synthetic and live changes never mix. */
  readonly isOfOneSource: IsOfOneSource
  toChange(row: ChangeRow<Columns>): Change
  /** The members and values that an item of the list has in REST. */
  toItem(change: Change): Readonly<Record<string, unknown>>
}

/** Selects changes; null means no filter. */
export type FeedFilter<Columns extends ColumnTable, Kind extends keyof Columns, IsOfOneSource> = {
  /** Only changes that were recorded at or after this instant. */
  readonly since: Date | null
  readonly assetIds?: readonly number[] | null
} & { readonly [Name in Kind]: RowOf<Columns>[Name] | null } & (IsOfOneSource extends true
    ? { readonly source: string }
    : unknown)

export interface ChangesBefore {
  /** Null to start at the newest. */
  readonly before: ChangePosition | null
  readonly limit: number
}

export interface ChangesAfter {
  /** Null to start at the oldest. */
  readonly after: ChangePosition | null
  readonly limit: number
  /** Largest size of a batch; the first change is always returned. Unbounded by default. */
  readonly maxBytes?: number
}

/** A page of changes, newest first. */
export interface ChangePage<Change> {
  readonly items: readonly Change[]
  readonly hasMore: boolean
  /** Cursor of the next page, null on the last one. */
  readonly nextCursor: string | null
  /** Number of matching changes; null on pages requested with a cursor, because the first page has it. */
  readonly totalCount: number | null
}

/** A change as a message has it. */
export interface ChangeMessage {
  readonly diffId: number
  readonly cursor: string
  /** When the change was recorded. */
  readonly timestamp: string
  /** The change as an item of the list of its feed. */
  readonly item: Readonly<Record<string, unknown>>
}

/** What sends the changes of a feed needs to know. */
export interface DeliveredChanges {
  readonly table: ChangeTable
  /** Only changes of the source of the dataset are served. */
  readonly isOfOneSource: boolean
  /** The messages of the changes with these numbers, as far as the changes are stored. */
  loadMessages(sql: Sql, diffIds: readonly number[]): Promise<readonly ChangeMessage[]>
}

export interface ChangeFeed<Change, Filter> extends DeliveredChanges {
  /** Newest first: the changes before a position. */
  loadBefore(sql: Sql, filter: Filter, page: ChangesBefore): Promise<readonly Change[]>
  /** Oldest first: the changes after a position. */
  loadAfter(sql: Sql, filter: Filter, batch: ChangesAfter): Promise<readonly Change[]>
  count(sql: Sql, filter: Filter): Promise<number>
  /** Following `nextCursor` returns each older change once, even while new ones are added. */
  loadPage(sql: Sql, filter: Filter, page: ChangesBefore): Promise<ChangePage<Change>>
  /** A page without a total for each asset, by one statement. */
  loadPagesOfAssets(
    sql: Sql,
    assetIds: readonly number[],
    filter: Filter,
    page: ChangesBefore,
  ): Promise<ReadonlyMap<number, ChangePage<Change>>>
}

/** The filter of a feed. */
export type FilterOf<Feed> = Feed extends ChangeFeed<infer _Change, infer Filter> ? Filter : never

/** Declares a feed: a table of changes that are listed, counted, followed and sent. Call it once, at the top of a module. */
export function defineChangeFeed<
  const Columns extends ColumnTable,
  const Kind extends keyof Columns & string,
  const IsOfOneSource extends boolean,
  Change extends ChangePosition & { readonly asset: Asset },
>({
  toChange,
  toItem,
  ...declaration
}: FeedDeclaration<Columns, Kind, IsOfOneSource, Change>): ChangeFeed<
  Change,
  FeedFilter<Columns, Kind, IsOfOneSource>
> {
  type Filter = FeedFilter<Columns, Kind, IsOfOneSource>
  const { table, isOfOneSource } = declaration
  const texts = createChangeStatements(declaration)
  const toChanges = (rows: readonly unknown[]) =>
    rows.map((row) => toChange(withAsset(row) as ChangeRow<Columns>)) // its columns are declared
  const selectionOf = (filter: Filter) => filter as ChangeSelection // it has a value of each kind
  const feed: ChangeFeed<Change, Filter> = {
    table,
    isOfOneSource,
    async loadBefore(sql, filter, { before, limit }) {
      const { text, parameters } = texts.before(selectionOf(filter), before)
      return toChanges(await sql.rows(text, [limit, ...parameters]))
    },
    async loadAfter(sql, filter, { after, limit, maxBytes = null }) {
      const { text, parameters } = texts.after(selectionOf(filter), after)
      return toChanges(await sql.rows(text, [limit, maxBytes, ...parameters]))
    },
    async count(sql, filter) {
      const { text, parameters } = texts.total(selectionOf(filter))
      const [row] = await sql.rows(text, parameters)
      return row?.total ?? 0
    },
    async loadPage(sql, filter, { before, limit }) {
      const [found, totalCount] = await Promise.all([
        feed.loadBefore(sql, filter, { before, limit: limit + 1 }),
        before === null ? feed.count(sql, filter) : null,
      ])
      return pageOf(found, limit, totalCount)
    },
    async loadPagesOfAssets(sql, assetIds, filter, { before, limit }) {
      const { text, parameters } = texts.ofAssets(selectionOf(filter), before)
      const changes = toChanges(await sql.rows(text, [assetIds, limit + 1, ...parameters]))
      const byAsset = groupBy(changes, ({ asset }) => String(asset.assetId))
      return new Map(
        assetIds.map((assetId) => [assetId, pageOf(byAsset.get(String(assetId)) ?? [], limit, null)]),
      )
    },
    async loadMessages(sql, diffIds) {
      return toChanges(await sql.rows(texts.byId, [diffIds])).map((change) => ({
        diffId: change.diffId,
        cursor: changeCursor(change),
        timestamp: instantText(change.computedAt),
        item: toItem(change),
      }))
    },
  }
  return feed
}

function withAsset(row: unknown): unknown {
  const { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source, ...own } = row as RowOf<
    typeof ASSET
  > // every statement of changes selects them
  return { ...own, asset: { assetId, slug, ticker, name, assetClass, tier, lastUpdated, source } }
}

/** The changes up to the limit, and the cursor of the next page if more follow. */
function pageOf<Change extends ChangePosition>(
  found: readonly Change[],
  limit: number,
  totalCount: number | null,
): ChangePage<Change> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const hasMore = found.length > limit
  return { items, hasMore, nextCursor: hasMore && last ? changeCursor(last) : null, totalCount }
}
