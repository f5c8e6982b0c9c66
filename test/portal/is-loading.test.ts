import { describe, expect, it } from 'vitest'
import { isLoading, type LoadedDataset } from '../../src/portal/parts/is-loading.js'

const job = (next_run_at: string | null) => ({ job: 'forex', next_run_at, missing_key: null })
const run = (status: 'running' | 'succeeded' | 'failed', source = 'ecb') => ({
  ...{ source, status, started_at: '2026-11-20T12:00:00Z', rows_changed: 0 },
})
const EMPTY: LoadedDataset = {
  last_updated_at: null,
  is_dev_dataset: null,
  jobs: [job('2026-11-20T15:01:00Z')],
  last_runs: [],
}

describe('a dataset is loading', () => {
  it.each<[string, boolean, Partial<LoadedDataset>]>([
    ['while it is empty and a job of it is on', true, {}],
    ['while its first run lasts', true, { last_runs: [run('running')] }],
    ['after a run that failed', true, { last_runs: [run('failed')] }],
    ['while it has synthetic data', true, { last_updated_at: '2026-11-20', is_dev_dataset: true }],
    ['after the run of the synthetic data', true, { last_runs: [run('succeeded', 'seed')] }],
    [
      'while not all of its jobs have run',
      true,
      { jobs: [job('x'), job('y')], last_runs: [run('succeeded')] },
    ],
    ['not once it has real data', false, { last_updated_at: '2026-11-20', is_dev_dataset: false }],
    ['not when all of its jobs found nothing', false, { last_runs: [run('succeeded')] }],
    ['not when its jobs are off', false, { jobs: [job(null)] }],
    ['not without a job', false, { jobs: [] }],
  ])('%s', (_, expected, facts) => {
    expect(isLoading({ ...EMPTY, ...facts })).toBe(expected)
  })
})
