/** What says whether a dataset is loaded. */
export interface LoadedDataset {
  readonly last_updated_at: string | null
  readonly is_dev_dataset: boolean | null
  readonly jobs: readonly {
    readonly job: string
    readonly next_run_at: string | null
    readonly missing_key: string | null
  }[]
  /** The newest run of each feed, the newest first. */
  readonly last_runs: readonly {
    readonly source: string
    readonly status: 'running' | 'succeeded' | 'failed'
    readonly started_at: string
    readonly rows_changed: number
  }[]
}

/** Whether a dataset gets its first real data: a job of it is on, it has none yet, and not all of its jobs have found none. */
export function isLoading({ last_updated_at, is_dev_dataset, jobs, last_runs }: LoadedDataset): boolean {
  if (last_updated_at !== null && is_dev_dataset !== true) return false
  const on = jobs.filter(({ next_run_at }) => next_run_at !== null).length
  const runs = last_runs.filter(({ source }) => source !== 'seed')
  const haveFoundNone = runs.length >= on && runs.every(({ status }) => status === 'succeeded')
  return on > 0 && !haveFoundNone
}
