import { createServer, type Server } from 'node:http'
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'

/** The alert looks for half a second. Each check wakes the process: the library's 10 ms are half the work of an idle gateway. */
const LAG_PRECISION_MS = 100

/** Creates the metrics registry of one application. Each has its own, so that tests and workers do not mix. */
export function createMetrics(): Registry {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LAG_PRECISION_MS })
  return metrics
}

/** The contents of a registry in the format that processes exchange. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Writes the metrics of several processes for Prometheus. Series are summed, unless their metric has another `aggregator`. */
export function mergedMetrics(ofProcesses: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...ofProcesses]).metrics()
}

/** The source of the served metrics: one registry or several processes. */
export type MetricsSource = Pick<Registry, 'metrics' | 'contentType'>

/** Serves `GET /metrics` for Prometheus on a separate listener, so that API callers can never reach it. */
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
