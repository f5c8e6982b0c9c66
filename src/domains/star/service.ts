import { type Given, parseDate, parseOrder } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import type { PublicText } from '../../core/operation-names.js'
import type { OffsetPage } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import { endOfDay, type IsoDate, startOfDay } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import type { UsedState } from '../../platform/database/versions/data-version.js'
import type { Condition } from '../../platform/database/where-given.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireAccess } from '../../policy/decide.js'
import { VIEW_SCOPES } from '../../policy/view-scopes.js'
import { dayConditions } from './day-conditions.js'
import { dimensionLoader } from './loaders.js'
import { factPageIndex, locatePage, type PageIndex } from './page-index.js'
import { loadFactPart, loadStarPage, loadStarTotal, type StarRow } from './store.js'
import type { ServedTable } from './table.js'
import { SERVED_TABLES } from './tables.js'

/** Filters of a list of the star schema; null means no filter. */
export interface StarFilter {
  readonly assetId: number | null
  readonly from: IsoDate | null
  readonly to: IsoDate | null
  /** Whether only current versions count. */
  readonly current: boolean
  /** Value of the column that the view is filtered by. */
  readonly choice: string | null
}

/**
 * Parses the filters and adds a problem for each wrong one. Throws 403 without the scope that the table needs in
 * addition to star:read.
 */
export function parseStarFilter(
  { view, endpoint }: ServedTable,
  args: {
    readonly timeframe?: Given<string>
    readonly asset_id?: Given<number>
    readonly from?: Given<string>
    readonly to?: Given<string>
    readonly current?: Given<boolean>
  },
  problems: Problems,
  { principal }: RequestContext,
): StarFilter {
  const scope = VIEW_SCOPES.get(view)
  if (scope !== undefined) requireAccess(principal, scope)
  const assetId = args.asset_id ?? null
  if (assetId !== null && assetId < 1) problems.add('asset_id', `must be at least 1; got ${assetId}`)
  const from = parseDate(problems, 'from', args.from)
  const to = parseDate(problems, 'to', args.to)
  if (from !== null && to !== null) parseOrder(problems, from, to)
  const choice = endpoint.choice === undefined ? null : (args.timeframe ?? null)
  return { assetId, from, to, current: args.current ?? true, choice }
}

interface StarRows {
  readonly rows: readonly StarRow[]
  /** Number of rows on all pages. */
  readonly total: number
}

/**
 * One page of a view in its order, and the number of rows on all pages. A page of a fact is found by the rows per
 * day, which are read once per version of the data, so no request counts rows.
 */
export function listStar(
  table: ServedTable,
  filter: StarFilter,
  page: OffsetPage,
  context: RequestContext,
): Promise<StarRows> {
  return table.kind === 'fact'
    ? listFact(table, filter, page, context)
    : listDimension(table, filter, page, context)
}

async function listFact(
  table: ServedTable,
  filter: StarFilter,
  page: OffsetPage,
  context: RequestContext,
): Promise<StarRows> {
  const outline = await factPageIndex({ table, assetId: filter.assetId, choice: filter.choice }, context)
  return loadFactPage(context.database, table, { ...filter, ...page, outline })
}

/** One page of a fact, found by its page index, in one statement; none beyond the end. */
export async function loadFactPage(
  sql: Sql,
  table: ServedTable,
  query: Omit<StarFilter, 'current'> & OffsetPage & { readonly outline: PageIndex },
): Promise<StarRows> {
  const { outline, assetId, choice, limit } = query
  const { total, days } = locatePage(outline, query)
  if (days === null) return { rows: [], total }
  return {
    rows: await loadFactPart(sql, table, { assetId, choice, days, limit, offset: days.offset }),
    total,
  }
}

async function listDimension(
  table: ServedTable,
  { from, to, current }: StarFilter,
  { limit, offset }: OffsetPage,
  { database }: RequestContext,
): Promise<StarRows> {
  const versions: readonly Condition[] = 'is_current' in table.columns && current ? [['is_current']] : []
  const conditions = [...versions, ...dayConditions(table, from, to)]
  const rows = await loadStarPage(database, table, { conditions, limit, offset })
  return { rows, total: await loadStarTotal(database, table, conditions) }
}

const CURRENT_ASSET = SERVED_TABLES.filter(({ view }) => view === 'dim_asset')

/** The current version of a crypto asset, or a 404. */
export async function getStarAsset(assetId: number, { database }: RequestContext): Promise<StarRow> {
  const [table] = CURRENT_ASSET
  const conditions: readonly Condition[] = [['is_current'], ['asset_id = ?::int', assetId]]
  const [row] =
    table === undefined ? [] : await loadStarPage(database, table, { conditions, limit: 1, offset: 0 })
  if (row !== undefined) return row
  throw notFound(
    (name) =>
      `No crypto asset has the integer key ${assetId}; all are listed by ${name('star_dim_assets')}, and ${name('asset_search')} finds the key of a name.`,
  )
}

/** The 404 for a slug or ticker in place of an asset's integer key. */
export function noIntegerKey(text: string): PublicText {
  const q = text.slice(0, 64)
  return (name) =>
    `${JSON.stringify(q)} is no integer key: the star schema names assets by asset_id, which ${name('asset_search', { q })} finds. Slugs such as bitcoin are for ${name('asset')}.`
}

/** The row of a dimension that a column of another row references; null without one. */
export async function referencedRow(
  reference: { readonly view: string; readonly column: string },
  value: unknown,
  context: RequestContext,
): Promise<StarRow | null> {
  // Referencing columns are texts and whole numbers.
  return value === null
    ? null
    : dimensionLoader(reference.view, reference.column)(context).load(value as string)
}

/** Those of a provider's chain names that are chains of the reference. */
export async function chainsNamed(names: unknown, context: RequestContext): Promise<readonly StarRow[]> {
  if (!Array.isArray(names)) return []
  const slugs = new Set(names.map((name) => String(name).toLowerCase().replaceAll(' ', '-')))
  const found = await dimensionLoader('dim_chain', 'chain_id')(context).loadMany([...slugs])
  return found.flatMap((row): readonly StarRow[] => {
    if (row instanceof Error) throw row
    return row === null ? [] : [row]
  })
}

/** The state of data that the gateway itself computes, which is current. */
export function fixedState(context: RequestContext): UsedState {
  const today = startOfDay(context.now)
  context.validity?.endsBy(endOfDay(context.now))
  return {
    dataset: 'instruments',
    version: 0,
    source: 'gateway',
    isDevDataset: false,
    observedAt: today,
    changedAt: today,
    parts: [],
    commitId: '',
  }
}
