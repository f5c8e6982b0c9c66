import { type Given, parseDate, parseOrder } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import type { PublicText } from '../../core/operation-names.js'
import type { OffsetPage } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import { endOfDay, type IsoDate, startOfDay } from '../../core/time.js'
import type { UsedState } from '../../platform/database/data-version.js'
import type { Sql } from '../../platform/database/database.js'
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

/** What a list of the star schema is narrowed to; null: not narrowed. */
export interface StarFilter {
  readonly assetId: number | null
  readonly from: IsoDate | null
  readonly to: IsoDate | null
  /** Current versions only. */
  readonly current: boolean
}

/** What a list is narrowed to; notes what is wrong. Throws 403 without the scope that the table needs beside star:read. */
export function parseStarFilter(
  { view }: ServedTable,
  args: {
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
  return { assetId, from, to, current: args.current ?? true }
}

interface StarRows {
  readonly rows: readonly StarRow[]
  /** On all pages. */
  readonly total: number
}

/**
 * One page of a view in its order, and the rows on all pages. The page of a fact is found by the rows of each day, which
 * are read once per version of the data: neither a total nor a page far down is counted up to.
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
  const outline = await factPageIndex({ table, assetId: filter.assetId }, context)
  return loadFactPage(context.database, table, { ...filter, ...page, outline })
}

/** One page of a fact, found by its outline; one statement, and none beyond the end. */
export async function loadFactPage(
  sql: Sql,
  table: ServedTable,
  asked: Omit<StarFilter, 'current'> & OffsetPage & { readonly outline: PageIndex },
): Promise<StarRows> {
  const { outline, assetId, limit } = asked
  const { total, days } = locatePage(outline, asked)
  if (days === null) return { rows: [], total }
  return { rows: await loadFactPart(sql, table, { assetId, days, limit, offset: days.offset }), total }
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

/** The current version of a crypto asset; 404 where there is none. */
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

/** The 404 of a slug or ticker where the integer key of an asset is due. */
export function noIntegerKey(text: string): PublicText {
  const q = text.slice(0, 64)
  return (name) =>
    `${JSON.stringify(q)} is no integer key: the star schema names assets by asset_id, which ${name('asset_search', { q })} finds. Slugs such as bitcoin are for ${name('asset')}.`
}

/** The row of a dimension that a column of another row names; null where it names none. */
export async function referencedRow(
  reference: { readonly view: string; readonly column: string },
  value: unknown,
  context: RequestContext,
): Promise<StarRow | null> {
  // Columns that reference are texts and whole numbers.
  return value === null
    ? null
    : dimensionLoader(reference.view, reference.column)(context).load(value as string)
}

/** The chains of the reference among those that a provider names. */
export async function chainsNamed(names: unknown, context: RequestContext): Promise<readonly StarRow[]> {
  if (!Array.isArray(names)) return []
  const slugs = new Set(names.map((name) => String(name).toLowerCase().replaceAll(' ', '-')))
  const found = await dimensionLoader('dim_chain', 'chain_id')(context).loadMany([...slugs])
  return found.flatMap((row): readonly StarRow[] => {
    if (row instanceof Error) throw row
    return row === null ? [] : [row]
  })
}

/** The state of what the gateway itself knows: it is that of today. */
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
