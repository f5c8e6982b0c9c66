import { Histogram, type Registry } from 'prom-client'

const NAME = 'gateway_request_duration_seconds'
const HELP = 'Time from request to response, by transport, route, operation and status.'

/** Seconds, from the time of a cached response to a request time-out. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Label = 'transport' | 'route' | 'operation' | 'status'

interface Series {
  readonly labels: Readonly<Record<Label, string>>
  /** Observations by bucket; the last one has no upper bound. */
  readonly counts: number[]
  sum: number
}

/** The labels of a request. */
interface TimedRequest {
  readonly transport: string
  readonly route: string | null
  /** Root fields, separated by commas; null if none ran. */
  readonly operation: string | null
  readonly status: number
}

type ByStatus = Map<number, Series>
type ByOperation = Map<string, ByStatus>
type ByRoute = Map<string | null, ByOperation>

/**
 * A histogram of prom-client that finds its series by itself. The library builds and hashes a text of all labels for each
 * observation, which took 2 % of the time of a cached response.
 */
export class RequestDurations extends Histogram<Label> {
  readonly #byTransport = new Map<string, ByRoute>()

  constructor(metrics: Registry) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['transport', 'route', 'operation', 'status'],
      buckets: BUCKETS,
      registers: [metrics],
    })
  }

  add(answered: TimedRequest, seconds: number): void {
    const series = this.#seriesOf(answered)
    const found = BUCKETS.findIndex((bound) => seconds <= bound)
    const bucket = found < 0 ? BUCKETS.length : found
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += seconds
  }

  /** prom-client calls this method for `get` and for the text of the registry. Its types lack it. */
  async getForPromString() {
    const operations = [...this.#byTransport.values()].flatMap((routes) => [...routes.values()])
    const statuses = operations.flatMap((names) => [...names.values()])
    const series = statuses.flatMap((codes) => [...codes.values()])
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: series.flatMap(valuesOf) }
  }

  #seriesOf({ transport, route, operation, status }: TimedRequest): Series {
    const name = operationLabel(operation)
    const known = this.#byTransport.get(transport)?.get(route)?.get(name)?.get(status)
    return known ?? this.#open({ transport, route, operation: name, status })
  }

  #open({ transport, route, operation, status }: TimedRequest & { readonly operation: string }): Series {
    const routes: ByRoute = this.#byTransport.get(transport) ?? new Map()
    const operations: ByOperation = routes.get(route) ?? new Map()
    const statuses: ByStatus = operations.get(operation) ?? new Map()
    const labels = { transport, route: route ?? 'none', operation, status: String(status) }
    const series = { labels, counts: Array.from({ length: BUCKETS.length + 1 }, () => 0), sum: 0 }
    this.#byTransport.set(transport, routes)
    routes.set(route, operations)
    operations.set(operation, statuses)
    statuses.set(status, series)
    return series
  }
}

/** Values in the form of Prometheus: cumulative counts per bound, then the sum and the number. */
function valuesOf({ labels: sharedLabels, counts, sum }: Series) {
  let count = 0
  const buckets = counts.map((ofBucket, index) => {
    count += ofBucket
    const le = BUCKETS[index] ?? '+Inf'
    return { metricName: `${NAME}_bucket`, labels: { le }, sharedLabels, value: count }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels: {}, sharedLabels, value: sum },
    { metricName: `${NAME}_count`, labels: {}, sharedLabels, value: count },
  ]
}

/** All combinations of root fields share one label, because there are too many. */
function operationLabel(operation: string | null): string {
  if (operation === null) return 'none'
  return operation.includes(',') ? 'several' : operation
}
