import { FACT_MARKET_SNAPSHOT, FACT_VWAP_CONSENSUS } from '../../../src/domains/star/market-facts.js'
import { loadPageIndex, type PageIndex } from '../../../src/domains/star/page-index.js'
import { loadFactPage } from '../../../src/domains/star/service.js'
import { isServed, type ServedTable, type StarTable } from '../../../src/domains/star/table.js'
import type { Sql } from '../../../src/platform/database/database.js'
import { between, expect, type ReadPath } from './read-path.js'
import type { Scale } from './scale.js'

const ROWS = 100

function served(table: StarTable): ServedTable {
  if (!isServed(table)) throw new Error(`${table.view} is not served`)
  return table
}

const VWAP = served(FACT_VWAP_CONSENSUS)
const MARKET = served(FACT_MARKET_SNAPSHOT)

/** Page indexes like in the gateway, loaded once for each size and asset. */
const outlines = new Map<string, Promise<PageIndex>>()

function outlineIn(
  sql: Sql,
  { size }: Scale,
  table: ServedTable,
  assetId: number | null,
): Promise<PageIndex> {
  const key = `${size} ${table.view} ${assetId}`
  const known = outlines.get(key) ?? loadPageIndex(sql, table, { assetId, choice: null })
  outlines.set(key, known)
  return known
}

/** Any page. */
async function readPage(sql: Sql, scale: Scale, table: ServedTable, assetId: number | null): Promise<void> {
  const outline = await outlineIn(sql, scale, table, assetId)
  const total = outline.before.at(-1) ?? 0
  const offset = between(0, total - ROWS)
  const page = await loadFactPage(sql, table, {
    outline,
    assetId,
    choice: null,
    from: null,
    to: null,
    limit: ROWS,
    offset,
  })
  expect('rows', page.rows.length, ROWS)
  expect('total', page.total, total)
}

export const STAR_PATHS: readonly ReadPath[] = [
  { name: 'star: prices, any page', read: (sql, scale) => readPage(sql, scale, VWAP, null) },
  { name: 'star: prices of an asset', read: (sql, scale) => readPage(sql, scale, VWAP, 1) },
  { name: 'star: days, any page', read: (sql, scale) => readPage(sql, scale, MARKET, null) },
  {
    name: 'star: outline of prices',
    read: async (sql) => {
      const { before } = await loadPageIndex(sql, VWAP, { assetId: null, choice: null })
      if ((before.at(-1) ?? 0) < ROWS) throw new Error('prices are not counted')
    },
  },
  {
    name: 'star: outline of an asset',
    read: async (sql, { series }) => {
      const { before } = await loadPageIndex(sql, VWAP, { assetId: between(1, series), choice: null })
      if ((before.at(-1) ?? 0) < ROWS) throw new Error('prices of an asset are not counted')
    },
  },
]
