import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Registry } from 'prom-client'
import { withoutTrailing } from '../../core/without-trailing.js'
import type { Logger } from '../logger.js'
import { settledWithin } from '../settled-within.js'
import { metricData } from './metric-data.js'
import { loadOpenTelemetry, type OpenTelemetry } from './opentelemetry.js'
import { Tracing } from './tracing.js'

/** Time limit of an export. */
const EXPORT_MS = 10_000
/** Number of spans that may wait for an export. Further ones are dropped, because requests do not wait. */
const MAX_WAITING_SPANS = 2_048
const SPANS_TOGETHER = 512
const SPANS_EVERY_MS = 2_000
const METRICS_EVERY_MS = 60_000
/** Longest wait for the last export when the process ends. */
const FLUSH_MS = 2_000

export interface TelemetryOptions {
  /** Base URL of the collector, to which /v1/traces and /v1/metrics are added. */
  readonly endpoint: string
  /** May contain credentials for the collector. */
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
  /** Identifies this process among all. */
  readonly instance: string
  /** Share of recorded traces, 0 to 1. */
  readonly sampleRatio: number
  /** Default: 60 s, as the specification of OpenTelemetry has it. */
  readonly metricsEveryMs?: number
  readonly metrics: Registry
  readonly log: Pick<Logger, 'warn' | 'info'>
}

/** Sends traces and metrics of this process by OTLP/HTTP. */
export interface Telemetry {
  readonly tracing: Tracing
  /** Sends waiting data, for at most 2 s. */
  stop(): Promise<void>
}

/** Loads OpenTelemetry and starts to send. Data that cannot be sent is dropped; the log reports the first failure. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const library = await loadOpenTelemetry()
  const own = library.resourceFromAttributes({
    'service.name': 'market-data-gateway',
    'service.version': options.version,
    'service.instance.id': options.instance,
  })
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
  const resource = own.merge(library.detectResources({ detectors: [library.envDetector] }))
  const traces = startTraces(library, resource, options)
  const metrics = startMetrics(library, resource, options)
  return {
    tracing: new Tracing(library, traces.getTracer('market-data-gateway', options.version)),
    stop: async () => {
      await settledWithin(FLUSH_MS, Promise.allSettled([traces.shutdown(), metrics.stop()]))
    },
  }
}

type Resource = ReturnType<OpenTelemetry['resourceFromAttributes']>

function startTraces(library: OpenTelemetry, resource: Resource, options: TelemetryOptions) {
  const { BasicTracerProvider, BatchSpanProcessor, OTLPTraceExporter } = library
  const { AlwaysOffSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = library
  const exporter = new OTLPTraceExporter(addressOf('traces', options))
  const share = new TraceIdRatioBasedSampler(options.sampleRatio)
  return new BasicTracerProvider({
    resource,
    // A caller may lower the share for its traces, never raise it.
    sampler: new ParentBasedSampler({
      root: share,
      remoteParentSampled: share,
      remoteParentNotSampled: new AlwaysOffSampler(),
    }),
    spanProcessors: [
      new BatchSpanProcessor(reporting(exporter, failures('traces', options.log)), {
        maxQueueSize: MAX_WAITING_SPANS,
        maxExportBatchSize: SPANS_TOGETHER,
        scheduledDelayMillis: SPANS_EVERY_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  })
}

function startMetrics(library: OpenTelemetry, resource: Resource, options: TelemetryOptions) {
  const { metrics, log, version } = options
  const exporter = new library.OTLPMetricExporter(addressOf('metrics', options))
  const report = failures('metrics', log)
  const startTime = hrTime()
  const send = async () => {
    const read = await metrics.getMetricsAsJSON()
    const data = metricData(read, { startTime, endTime: hrTime() }, library)
    const scope = { name: 'market-data-gateway', version }
    const content: ResourceMetrics = { resource, scopeMetrics: [{ scope, metrics: data }] }
    await new Promise<void>((resolve) => {
      exporter.export(content, ({ code, error }) => {
        report(code === 0 ? null : (error ?? new Error('refused')))
        resolve()
      })
    })
  }
  let sending: Promise<void> | null = null
  const next = () => {
    // If an export takes longer than the interval, the next one is skipped.
    sending ??= send()
      .catch(report)
      .finally(() => {
        sending = null
      })
    return sending
  }
  const timer = setInterval(next, options.metricsEveryMs ?? METRICS_EVERY_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await next()
      await exporter.shutdown()
    },
  }
}

function addressOf(signal: 'traces' | 'metrics', { endpoint, headers }: TelemetryOptions) {
  const url = `${withoutTrailing(endpoint, '/')}/v1/${signal}`
  return { url, headers: { ...headers }, timeoutMillis: EXPORT_MS, concurrencyLimit: 2 }
}

/** Seconds and nanoseconds since 1970. */
function hrTime(): [number, number] {
  const ms = Date.now()
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1e6]
}

type Report = (error: unknown) => void

/** Logs once that exports fail, and once that they work again. `error` is null for a successful export. */
function failures(signal: string, log: TelemetryOptions['log']): Report {
  let isFailing = false
  return (error) => {
    if (error === null && isFailing) log.info({ signal }, 'telemetry is sent again')
    // The message of an error may contain the URL, which may contain a key.
    if (error !== null && !isFailing)
      log.warn({ signal, reason: reasonOf(error) }, 'telemetry cannot be sent')
    isFailing = error !== null
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && error.code !== undefined ? `${error.name} ${String(error.code)}` : error.name
}

function reporting(exporter: SpanExporter, report: Report): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        report(result.code === 0 ? null : (result.error ?? new Error('refused')))
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
