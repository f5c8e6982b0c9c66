import { createServer, type Server } from 'node:http'
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'

/** Metrics of this process; each application has its own, so that tests and workers do not mix. */
export function createMetrics(): Registry {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  return metrics
}

/** What a registry holds, as it crosses from one process to another. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The text for Prometheus over several processes: each series is summed, or as its metric's `aggregator` says. */
export function mergedMetrics(ofProcesses: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...ofProcesses]).metrics()
}

/** What is served: a registry, or a reading over several processes. */
export type MetricsSource = Pick<Registry, 'metrics' | 'contentType'>

/** `GET /metrics` for Prometheus on a listener of its own, so that it is never open to callers. */
export function createMetricsServer(metrics: MetricsSource): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
