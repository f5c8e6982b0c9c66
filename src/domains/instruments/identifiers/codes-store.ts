import { CURRENCY, MARKET } from '../../../generated/columns.js'
import type { Known, WrittenRows } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import {
  type ColumnTable,
  columnNames,
  jsonOfRows,
  jsonRows,
  statement,
  without,
} from '../../../platform/database/statement.js'
import type { CurrencyFacts, MarketFacts } from '../model.js'

interface CodeTable {
  readonly table: string
  readonly key: string
  readonly columns: ColumnTable
}

/**
 * Writes new and changed rows, deletes rows that the facts no longer
 * have, and counts both. `$1` are the facts as JSON, `$2` is the source.
 */
function replaceAll({ table, key, columns }: CodeTable) {
  const names = columnNames(columns)
  return statement(
    'bulk',
    { added: 'int4', revised: 'int4', unchanged: 'int4', alsoChanged: 'int4' },
    `with incoming as (${jsonRows(columns, '$1')}),
     compared as (
       select n.${key}, o.${key} is null as is_new, 
         (${columnNames(columns, 'n')}, $2::text) is distinct from (${columnNames(columns, 'o')}, o.source) as is_other
       from incoming as n left join ${table} as o using (${key})
     ),
     gone as (delete from ${table} where ${key} not in (select ${key} from incoming) returning 1),
     written as (
       insert into ${table} (${names}, source)
       select ${columnNames(columns, 'n')}, $2 from incoming as n join compared as c using (${key}) where c.is_other
       on conflict (${key}) do update set (${names}, source) = (${columnNames(columns, 'excluded')}, excluded.source)
     )
     select count(*) filter (where is_new)::int as added,
       count(*) filter (where is_other and not is_new)::int as revised,
       count(*) filter (where not is_other)::int as unchanged, (select count(*) from gone)::int as "alsoChanged"
     from compared`,
  )
}

const REPLACE_CURRENCIES = replaceAll({
  table: 'iso_currency',
  key: 'code',
  columns: without(CURRENCY, 'source'),
})

const REPLACE_MARKETS = replaceAll({
  table: 'iso_market',
  key: 'mic',
  columns: without(MARKET, 'source'),
})

const NOTHING: WrittenRows = { added: 0, revised: 0, unchanged: 0 }

/** Replaces all currencies. A currency that is not among them is deleted (`alsoChanged`). */
export async function writeCurrencies(
  tx: Transaction,
  facts: readonly CurrencyFacts[],
  { source }: Known,
): Promise<WrittenRows> {
  const [counts] = await tx.rows(REPLACE_CURRENCIES, [jsonOfRows(facts), source])
  return counts ?? NOTHING
}

/** Replaces all markets. A market that is not among them is deleted (`alsoChanged`). */
export async function writeMarkets(
  tx: Transaction,
  facts: readonly MarketFacts[],
  { source }: Known,
): Promise<WrittenRows> {
  const [counts] = await tx.rows(REPLACE_MARKETS, [jsonOfRows(facts), source])
  return counts ?? NOTHING
}
