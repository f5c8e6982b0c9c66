import { defineLoader, type LoaderOf } from '../../platform/request/define-loader.js'
import { loadStarRows, type StarRow } from './store.js'
import { SERVED_TABLES } from './tables.js'

/** What an edge is looked up by: a column of a dimension. */
const KEYS = new Set(
  SERVED_TABLES.flatMap(({ columns }) =>
    Object.values(columns).flatMap(({ references }) =>
      references === undefined ? [] : `${references.view}.${references.column}`,
    ),
  ),
)

const LOADERS: ReadonlyMap<string, LoaderOf<string | number, StarRow>> = new Map(
  [...KEYS].map((name) => {
    const [view = '', column = ''] = name.split('.')
    const table = SERVED_TABLES.find((one) => one.view === view)
    if (table === undefined) throw new Error(`${name} is referenced but not served`)
    return [
      name,
      defineLoader((values: readonly (string | number)[], { database }) =>
        loadStarRows(database, table, column, values),
      ),
    ]
  }),
)

/** Rows of a dimension by the value of a column that is referenced; all that are asked for at once are one statement. */
export function dimensionLoader(view: string, column: string): LoaderOf<string | number, StarRow> {
  const loader = LOADERS.get(`${view}.${column}`)
  if (loader === undefined) throw new Error(`nothing references ${view}.${column}`)
  return loader
}
