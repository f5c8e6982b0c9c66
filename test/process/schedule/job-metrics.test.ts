import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createJobMetrics } from '../../../src/process/schedule/job-metrics.js'

it('the metric of rows has each outcome of a job’s rows, absent ones too', async () => {
  const metrics = new Registry()
  const log = createLogger('silent')
  // Without scheduled jobs nothing is read from the database.
  const database = {} as Database
  const onEvent = createJobMetrics({ metrics, database, log, scheduled: [] })
  const counts = { added: 1, revised: 2, unchanged: 3, rejected: 4, absent: 5 }
  for (const status of ['succeeded', 'failed'] as const) onEvent({ job: 'forex', status, counts })
  const text = await metrics.getSingleMetricAsString('ingest_rows_total')
  const rows = [...text.matchAll(/outcome="(\w+)"\} (\d+)/g)].map(
    ([, outcome, count]) => `${outcome} ${count}`,
  )
  expect(rows).toEqual(['added 2', 'revised 4', 'unchanged 6', 'rejected 8', 'absent 10'])
})
