import type { DatasetName } from '../../core/datasets.js'
import { groupBy } from '../../core/group-by.js'
import { storeExtent } from '../../domains/datasets/extent-store.js'
import type { DatasetFindings } from '../../domains/datasets/model.js'
import { loadPriceDifferences } from '../../domains/prices/price-differences-store.js'
import type { ReleaseTable } from '../../domains/releases/tables/release-table.js'
import { RELEASE_TABLES } from '../../domains/releases/tables/release-tables.js'
import type { Database, Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import type { Logger } from '../../platform/logger.js'
import { errorText } from './ledger.js'

interface CountedTable {
  readonly partOf: DatasetName
  /** A table, or a select statement in parentheses. */
  readonly table: string
  readonly period: ReleaseTable['period']
}

/** Tables of the datasets that are not released. */
const UNRELEASED_TABLES: readonly CountedTable[] = [
  { partOf: 'codes', table: 'iso_currency', period: { column: 'known_from', type: 'timestamptz' } },
  { partOf: 'codes', table: 'iso_market', period: { column: 'known_from', type: 'timestamptz' } },
  { partOf: 'news', table: 'news_article', period: { column: 'published_at', type: 'timestamptz' } },
  { partOf: 'onchain', table: 'address_snapshot', period: { column: 'snapshot_date', type: 'date' } },
]

/** What contradicts in a dataset. */
const FINDINGS: ReadonlyMap<DatasetName, (sql: Sql, now: Date) => Promise<DatasetFindings>> = new Map([
  ['prices', loadPriceDifferences],
])

const NO_FINDINGS: DatasetFindings = { findings: [], findingsTotal: 0 }

/** Rows with the period `known_from` are about no day. */
function firstDay({ column, type }: ReleaseTable['period']): string {
  if (column === 'known_from') return 'null::date'
  return type === 'date' ? `min(t.${column})` : `(min(t.${column}) at time zone 'UTC')::date`
}

/** Reads each row, which only a background task may do. */
const COUNTS = [...groupBy([...RELEASE_TABLES, ...UNRELEASED_TABLES], ({ partOf }) => partOf).values()].map(
  (tables) => ({
    dataset: tables[0].partOf,
    statement: statement(
      'lacks computed value',
      { rows: 'int8', since: 'date?' },
      `select sum(c.rows)::int8 as rows, min(c.since) as since from (${tables
        .map(
          ({ table, period }) => `select count(*) as rows, ${firstDay(period)} as since from ${table} as t`,
        )
        .join('\nunion all ')}) as c`,
    ),
  }),
)

/**
 * Counts the rows of each dataset and stores the numbers with the findings, one statement a dataset with the time limit of a batch. A dataset that
 * takes longer keeps its former number.
 */
export async function countRows(database: Database, now: Date, log: Pick<Logger, 'error'>): Promise<void> {
  for (const { dataset, statement: counting } of COUNTS) {
    try {
      await database.transaction(async (tx) => {
        const [extent] = await tx.rows(counting)
        const found = (await FINDINGS.get(dataset)?.(tx, now)) ?? NO_FINDINGS
        if (extent !== undefined) await storeExtent(tx, dataset, { ...extent, ...found }, now)
      })
    } catch (error) {
      log.error({ dataset, reason: errorText(error) }, 'rows could not be counted; the next run tries again')
    }
  }
}
