import { defineLoader, type LoaderOf } from '../../platform/request/loaders/define-loader.js'
import { loadStarRows, type StarRow } from './store.js'
import { SERVED_TABLES } from './tables.js'

/** The column of a dimension that an edge looks up. */
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
    if (table === undefined) throw new Error(`the dimension ${name} is referenced but not served`)
    return [
      name,
      defineLoader((values: readonly (string | number)[], { database }) =>
        loadStarRows(database, table, column, values),
      ),
    ]
  }),
)

/** Rows of a dimension by the value of a referenced column. Simultaneous look-ups share one statement. */
export function dimensionLoader(view: string, column: string): LoaderOf<string | number, StarRow> {
  const loader = LOADERS.get(`${view}.${column}`)
  if (loader === undefined) throw new Error(`nothing references ${view}.${column}`)
  return loader
}
