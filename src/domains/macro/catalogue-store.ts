import type { MacroProvider } from '../../core/providers.js'
import type { Database, Sql } from '../../platform/database/database.js'
import { arraysOf, selectList, statement } from '../../platform/database/statement.js'
import { SERIES_COLUMNS, type StoredSeries } from './series/series-store.js'

/** Columns of a series `s`. */
const SERIES = selectList(SERIES_COLUMNS, 's')

// Plain SQL: Prisma's client takes 1.8 times the CPU for the headline series of a provider (bench sql).
const HEADLINES = statement(
  SERIES_COLUMNS,
  `select ${SERIES} from macro_series as s where s.provider = any($1::text[]) and s.is_headline
   order by s.provider, s.country, s.dataset, s.series_key limit $2`,
)

/** The BIS has some hundred headline series, a central bank as many as were ingested. */
const MAX_HEADLINES = 10_000

/** The series in the catalogues of the providers, sorted by country and dataset. */
export function loadHeadlines(
  sql: Sql,
  providers: readonly MacroProvider[],
): Promise<readonly StoredSeries[]> {
  return sql.rows(HEADLINES, [providers, providers.length * MAX_HEADLINES])
}

/** A page of the series of a dataset. */
export interface SeriesListKey {
  readonly provider: MacroProvider
  readonly dataset: string
  /** Null selects all countries. */
  readonly country: string | null
  readonly limit: number
  readonly offset: number
}

// Plain SQL: one statement reads a page of series of each of several datasets. For one page of 100 Prisma's client takes
// 1.7 times the CPU (bench sql).
const SERIES_LISTS = statement(
  { number: 'int8', ...SERIES_COLUMNS },
  `select requested.number, s.* from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[])
     with ordinality as requested(provider, dataset, country, page_limit, page_offset, number)
   cross join lateral (
     select ${SERIES}
     from macro_series as s
     where s.provider = requested.provider and s.dataset = requested.dataset
       and (requested.country is null or s.country = requested.country)
     order by s.series_key limit requested.page_limit offset requested.page_offset
   ) as s
   order by requested.number, s."seriesKey"`,
)

/** The series of each requested dataset, sorted by key, in the order of the list, in one statement. */
export async function loadSeriesLists(
  sql: Sql,
  keys: readonly SeriesListKey[],
): Promise<readonly (readonly StoredSeries[])[]> {
  const lists: StoredSeries[][] = keys.map(() => [])
  const parameters = arraysOf(keys, 'provider', 'dataset', 'country', 'limit', 'offset')
  for (const { number, ...series } of await sql.rows(SERIES_LISTS, parameters))
    lists[number - 1]?.push(series)
  return lists
}

/** Maximum of keys that a misspelled key is compared with. */
const MAX_COMPARED_KEYS = 2_000

/** Candidates for a misspelled key: the keys of the countries that its parts name, otherwise any keys of the dataset. */
export async function loadKeysNear(
  database: Pick<Database, 'prisma'>,
  wanted: { readonly provider: MacroProvider; readonly dataset: string; readonly parts: readonly string[] },
): Promise<readonly string[]> {
  const { provider, dataset, parts } = wanted
  const read = async (countries: readonly string[] | null) => {
    const found = await database.prisma.macroSeries.findMany({
      where: { provider, dataset, ...(countries === null ? {} : { country: { in: [...countries] } }) },
      orderBy: { seriesKey: 'asc' },
      select: { seriesKey: true },
      take: MAX_COMPARED_KEYS,
    })
    return found.map(({ seriesKey }) => seriesKey)
  }
  const near = await read(parts.map((part) => part.toUpperCase()))
  return near.length > 0 ? near : read(null)
}
