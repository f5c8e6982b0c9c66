import type { Worker } from 'node:cluster'
import type { Registry } from 'prom-client'
import { type MetricValues, mergedMetrics } from '../gateway/http/telemetry/metrics.js'
import type { FromPrimary, FromWorker } from './workers/messages.js'

/** Half of Prometheus's usual time-out: a worker that is busy for longer fails the scrape. */
const ANSWER_MS = 5_000

let requests = 0

/**
 * The metrics of these workers and of the primary as Prometheus text. Throws without workers, or if one does not answer: a
 * sum without it would look like a counter that fell. (prom-client's own collection also asks workers that are still
 * loading and do not receive messages yet.)
 */
export async function collectMetrics(workers: readonly Worker[], own: Registry): Promise<string> {
  if (workers.length === 0) throw new Error('no worker listens')
  const ofWorkers = workers.map(metricsOf)
  return mergedMetrics(await Promise.all([...ofWorkers, own.getMetricsAsJSON()]))
}

function metricsOf(worker: Worker): Promise<MetricValues> {
  requests += 1
  const question: FromPrimary = { kind: 'metrics', request: requests }
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('exit', onExit)
      act()
    }
    const onMessage = (message: FromWorker) => {
      if (message.kind !== 'metrics' || message.request !== question.request) return
      settle(() => resolve(message.values))
    }
    const onExit = () => settle(() => reject(new Error('the worker ended')))
    const timer = setTimeout(() => {
      settle(() => reject(new Error(`the worker gave no metrics in ${ANSWER_MS} ms`)))
    }, ANSWER_MS)
    worker.on('message', onMessage).on('exit', onExit)
    worker.send(question)
  })
}
