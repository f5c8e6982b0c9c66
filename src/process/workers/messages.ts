import type { MetricValues } from '../../gateway/http/telemetry/metrics.js'

/** What the primary sends to a worker that it forked. */
export interface Assignment {
  readonly kind: 'assignment'
  /** 1 to WORKERS; a worker that replaces another has its number. */
  readonly number: number
  /** Where it listens, together with the other workers. */
  readonly port: number
  /** The key that the pages use: the demo key or a development key. Null without either. */
  readonly pageKey: string | null
}

export type FromPrimary = Assignment | { readonly kind: 'metrics'; readonly request: number }

/** `here` is the first: messages to a worker whose modules are still loading are lost. */
export type FromWorker =
  | { readonly kind: 'here' }
  | { readonly kind: 'metrics'; readonly request: number; readonly values: MetricValues }
