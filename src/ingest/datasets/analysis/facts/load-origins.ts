import type { DatasetName } from '../../../../core/datasets.js'
import type { Sql } from '../../../../platform/database/database.js'
import { type RowIn, statement } from '../../../../platform/database/statement.js'

// Plain SQL: it reads on the connection of its caller, which may be in a transaction.
const ORIGINS = statement(
  { dataset: 'text', version: 'int8', source: 'text', isDevDataset: 'bool' },
  `select dataset, version, source, is_dev_dataset as "isDevDataset" from dataset_state
   where dataset = any($1::text[]) order by dataset`,
)

/** A dataset that an analysis is made from, with its current version. */
export type DatasetOrigin = RowIn<typeof ORIGINS>

/** The datasets that have data, in the order of their names. */
export function loadOrigins(sql: Sql, datasets: readonly DatasetName[]): Promise<readonly DatasetOrigin[]> {
  return sql.rows(ORIGINS, [datasets])
}
