import { pool } from './statements.js'

export interface Dataset {
  readonly dataset: string
  readonly source: string
  readonly is_dev_dataset: boolean
  readonly observed_at: Date
  readonly changed_at: Date
  /** Text of a whole number; another after each change. */
  readonly version: string
}

/** As old as the gateway lets them become. */
const REFRESH_AFTER_MS = 500

let known: ReadonlyMap<string, Dataset> = new Map()
let readAt = Number.NEGATIVE_INFINITY

/** Where a dataset comes from and how old it is; throws for one that is empty. */
export async function datasetOf(name: string): Promise<Dataset> {
  if (performance.now() - readAt > REFRESH_AFTER_MS) {
    readAt = performance.now() // one request reads, the others go on with what is known
    const { rows } = await pool.query<Dataset>('select * from dataset_state')
    known = new Map(rows.map((row) => [row.dataset, row]))
  }
  const found = known.get(name)
  if (found === undefined) throw new Error(`the dataset ${name} is empty`)
  return found
}
