import type { MacroProvider } from '../../core/providers.js'
import { MACRO_SERIES } from '../../generated/columns.js'
import type { MacroSeries } from '../../generated/prisma/client.js'
import type { Database, Sql } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { arraysOf, selectList, statement } from '../../platform/database/statement.js'

/** The BIS has some hundred headline series, a central bank as many as were ingested. */
const MAX_HEADLINES = 10_000

/** The series in the catalogues of the providers, sorted by country and dataset. */
export function loadHeadlines(
  prisma: PrismaModels,
  providers: readonly MacroProvider[],
): Promise<readonly MacroSeries[]> {
  return prisma.macroSeries.findMany({
    where: { provider: { in: [...providers] }, isHeadline: true },
    orderBy: [{ provider: 'asc' }, { country: 'asc' }, { dataset: 'asc' }, { seriesKey: 'asc' }],
    take: providers.length * MAX_HEADLINES,
  })
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

const SERIES_LISTS = statement(
  'lacks page per key',
  { number: 'int8', ...MACRO_SERIES },
  `select requested.number, s.* from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[])
     with ordinality as requested(provider, dataset, country, page_limit, page_offset, number)
   cross join lateral (
     select ${selectList(MACRO_SERIES, 's')}
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
): Promise<readonly (readonly MacroSeries[])[]> {
  const lists: MacroSeries[][] = keys.map(() => [])
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
