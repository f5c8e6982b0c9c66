import { Gauge } from 'prom-client'
import { refreshIntervalMs } from '../../core/freshness.js'
import { kindOfDataset } from '../../domains/datasets/registry-model.js'
import type { JobEvent } from '../../ingest/schedule/options.js'
import { CoalescedRead } from '../../platform/coalesced-read.js'
import type { DatasetStates } from '../../platform/database/data-version.js'
import { loadDatasetStates } from '../../platform/database/dataset-states-store.js'
import { createJobMetrics, type JobMetricsOptions } from './job-metrics.js'

/** A scrape does not wait for an unreachable database. */
const READ_MS = 2_000

/** Registers the metrics of the data and of the schedule; the answer counts the attempts of jobs. */
export function createScheduleMetrics(options: JobMetricsOptions): (event: JobEvent) => void {
  registerAges(options)
  return createJobMetrics(options)
}

/** If the interval of a dataset depends on an asset's tier, the shortest one is shown, that of tier 1. */
const FIRST_TIER = 1

/** The age of each dataset and the age at which it is stale, from one read. */
function registerAges({ metrics, database, clock, log }: JobMetricsOptions): void {
  const registers = [metrics]
  const labelNames = ['dataset']
  const read = new CoalescedRead(async (): Promise<DatasetStates> => {
    try {
      return await loadDatasetStates({
        rows: (sql, parameters) => database.rows(sql, parameters, { withinMs: READ_MS }),
      })
    } catch (error) {
      log.warn({ err: error }, 'the age of the data could not be read')
      return new Map()
    }
  })
  new Gauge({
    name: 'data_age_seconds',
    help: 'Age of the newest fact of each dataset; a dataset that holds nothing has none.',
    labelNames,
    registers,
    async collect() {
      const states = await read.join()
      const nowMs = clock.now().getTime()
      this.reset()
      for (const { dataset, observedAt } of states.values())
        this.set({ dataset }, Math.max(0, (nowMs - observedAt.getTime()) / 1000))
    },
  })
  new Gauge({
    name: 'data_refresh_interval_seconds',
    help: 'Age at which the newest fact of each dataset becomes stale; at three times that it is expired.',
    labelNames,
    registers,
    async collect() {
      const states = await read.join()
      this.reset()
      for (const { dataset, observedAt } of states.values()) {
        const kind = kindOfDataset(dataset, FIRST_TIER)
        this.set({ dataset }, refreshIntervalMs(kind, observedAt) / 1000)
      }
    },
  })
}
