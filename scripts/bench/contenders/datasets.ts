import { pool } from './statements.js'

export interface Dataset {
  readonly dataset: string
  readonly source: string
  readonly is_dev_dataset: boolean
  readonly observed_at: Date
  readonly changed_at: Date
  /** A whole number as text, which differs after each change. */
  readonly version: string
}

/** The same maximum age as in the gateway. */
const REFRESH_AFTER_MS = 500

let known: ReadonlyMap<string, Dataset> = new Map()
let readAt = Number.NEGATIVE_INFINITY

/** Source and age of a dataset. Throws for an empty dataset. */
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
