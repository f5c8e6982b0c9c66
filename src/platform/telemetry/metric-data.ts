import type { Attributes, HrTime } from '@opentelemetry/api'
import type { DataPoint, HistogramMetricData, MetricData } from '@opentelemetry/sdk-metrics'
import type { Registry } from 'prom-client'
import type { OpenTelemetry } from './opentelemetry.js'

type PromMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]
type PromValue = PromMetric['values'][number] & { readonly metricName?: string }

/** The start of the counters and the current time. */
export interface Interval {
  readonly startTime: HrTime
  readonly endTime: HrTime
}

/** Converts metrics from Prometheus to OpenTelemetry: same names and labels, sums since the start of the process. */
export function metricData(
  metrics: readonly PromMetric[],
  interval: Interval,
  library: Pick<OpenTelemetry, 'AggregationTemporality' | 'DataPointType'>,
): MetricData[] {
  const { DataPointType, AggregationTemporality } = library
  return metrics.flatMap((metric): MetricData[] => {
    const common = {
      descriptor: { name: metric.name, description: metric.help, unit: '', valueType: 1 },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    }
    // prom-client writes the type as text, although its types declare a numeric enum.
    switch (String(metric.type)) {
      case 'counter': {
        const dataPoints = pointsOf(metric, interval)
        return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
      }
      case 'gauge':
        return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(metric, interval) }]
      case 'histogram': {
        const dataPoints = histogramsOf(metric, interval)
        return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
      }
      default:
        return []
    }
  })
}

function pointsOf({ values }: PromMetric, interval: Interval): DataPoint<number>[] {
  return values.map(({ value, labels }) => ({ ...interval, attributes: labels as Attributes, value })) // texts and numbers
}

/** Buckets of Prometheus are cumulative (at most `le`); those of OpenTelemetry are not, and the last has no upper bound. */
function histogramsOf({ values }: PromMetric, interval: Interval): HistogramMetricData['dataPoints'] {
  const series = new Map<string, { attributes: Attributes; parts: PromValue[] }>()
  for (const part of values) {
    const { le: _, ...attributes } = part.labels as Attributes & { le?: unknown } // texts and numbers
    const key = JSON.stringify(attributes)
    const known = series.get(key)
    if (known === undefined) series.set(key, { attributes, parts: [part] })
    else known.parts.push(part)
  }
  return [...series.values()].map(({ attributes, parts }) => {
    const ends = (suffix: string) => parts.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0
    const buckets = parts.filter(({ labels }) => 'le' in labels)
    const boundaries = buckets.map(({ labels }) => Number((labels as { le: unknown }).le)) // it has the label
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0))
    return {
      ...interval,
      attributes,
      value: {
        buckets: { boundaries: boundaries.filter(Number.isFinite), counts },
        sum: ends('_sum'),
        count: ends('_count'),
      },
    }
  })
}
