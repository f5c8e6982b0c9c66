import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import type { Database } from '../database/database.js'
import type { Logger } from '../logger.js'
import { VERSION } from '../version.js'
import type { Telemetry } from './telemetry.js'
import { tracedDatabase } from './traced-database.js'
import { tracedLogger } from './traced-logger.js'
import type { Tracing } from './tracing.js'

export interface TelemetryParts {
  readonly log: Logger
  /** The metrics of this process. */
  readonly metrics: Registry
}

/** Starts to send traces and metrics if configured; otherwise loads nothing. */
export async function configuredTelemetry(
  { telemetry: target }: Config,
  { log, metrics }: TelemetryParts,
): Promise<Telemetry | null> {
  if (target === null) return null
  const { startTelemetry } = await import('./telemetry.js')
  const instance = `${hostname()}:${process.pid}`
  return startTelemetry({ ...target, version: VERSION, instance, log, metrics })
}

/** Wraps the objects that requests and jobs share, so that their work appears in traces. Without tracing returns them unchanged. */
export function traced<Parts extends { readonly database: Database; readonly log: Logger }>(
  parts: Parts,
  tracing: Tracing | null,
): Parts {
  if (tracing === null) return parts
  const { database, log } = parts
  return { ...parts, database: tracedDatabase(database, tracing), log: tracedLogger(log, tracing) }
}
