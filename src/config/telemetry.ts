import type { z } from 'zod'
import type { Environment } from './environment.js'

/** Receiver of traces and metrics over OTLP, and how much is sent. */
export interface TelemetryTarget {
  readonly endpoint: string
  /** May contain credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Share of recorded traces, 0 to 1. */
  readonly sampleRatio: number
}

/** Returns null if nothing is sent. */
export function parseTelemetry(env: z.infer<typeof Environment>): TelemetryTarget | null {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null
  return {
    endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    sampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
  }
}

/** Parses `name=value` pairs, separated by commas, with percent-encoded values (W3C Baggage). */
function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), decoded(pair.slice(at + 1))]
    }),
  )
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
