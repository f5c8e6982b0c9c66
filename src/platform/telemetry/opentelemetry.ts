import type * as Api from '@opentelemetry/api'
import type * as MetricExporter from '@opentelemetry/exporter-metrics-otlp-http'
import type * as TraceExporter from '@opentelemetry/exporter-trace-otlp-http'
import type * as Resources from '@opentelemetry/resources'
import type * as Metrics from '@opentelemetry/sdk-metrics'
import type * as Traces from '@opentelemetry/sdk-trace-base'

/** What the gateway uses of OpenTelemetry, made by scripts/bundled-modules.mjs from its packages. */
export type OpenTelemetry = Pick<typeof Api, 'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode' | 'trace'> &
  Pick<typeof MetricExporter, 'OTLPMetricExporter'> &
  Pick<typeof TraceExporter, 'OTLPTraceExporter'> &
  Pick<typeof Resources, 'resourceFromAttributes'> &
  Pick<typeof Metrics, 'AggregationTemporality' | 'DataPointType'> &
  Pick<
    typeof Traces,
    | 'AlwaysOffSampler'
    | 'BasicTracerProvider'
    | 'BatchSpanProcessor'
    | 'ParentBasedSampler'
    | 'TraceIdRatioBasedSampler'
  >

/** Read only where telemetry is configured. */
export async function loadOpenTelemetry(): Promise<OpenTelemetry> {
  // The module has no types of its own.
  return (await import('../../generated/opentelemetry/opentelemetry.js')) as unknown as OpenTelemetry
}
