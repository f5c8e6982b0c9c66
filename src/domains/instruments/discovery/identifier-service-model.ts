import type { CurrencyCode, Figi, Mic, Ticker } from '../../../core/identifiers.js'
import { DAY_MS } from '../../../core/time.js'
import { definePort } from '../../../platform/request/ports.js'
import type { AssetClass } from '../../assets/model.js'

/** The instrument that the identifier service returned for a ticker. A member is null if the service does not state it. */
export interface ResolvedInstrument {
  readonly figi: Figi
  readonly name: string
  readonly assetClass: AssetClass | null
  readonly mic: Mic | null
  readonly currency: CurrencyCode | null
}

/** A stored answer of the identifier service. */
export interface IdentifierAnswer {
  readonly ticker: Ticker
  /** Null if the service knows no instrument with that ticker. */
  readonly found: ResolvedInstrument | null
  readonly answeredAt: Date
}

/** Maximum time that a request waits for the identifier service. From the API contract (discover). */
export const IDENTIFIER_BUDGET_MS = 2_000

/** A FIGI is permanent. The month bounds how long a changed name, or a ticker that moved to another share, stays unnoticed. */
export const FOUND_KEPT_MS = 30 * DAY_MS

/** A new listing is found after a day at the latest. */
export const UNKNOWN_KEPT_MS = DAY_MS

/** Maximum of simultaneous requests to the service per process. Services admit about 25 requests a minute. */
export const MAX_LOOKUPS_IN_FLIGHT = 32

/**
 * Maximum of tickers per account and clock hour that are requested from the service, answered or not. The service gets about
 * 750 of all accounts together.
 */
export const TICKERS_PER_HOUR = 300

/** Retry delay for callers if the service states none. */
export const RETRY_AFTER_MS = 30_000

/** Looks up the instrument of a ticker. Used only for tickers that the instrument master does not have. */
export interface IdentifierService {
  /** Id of the provider, e.g. openfigi. */
  readonly source: string
  /**
   * Null means that no such instrument exists. Settles within `IDENTIFIER_BUDGET_MS`. Throws IdentifierServiceDown without a
   * usable answer by then, which never means that the ticker is unknown.
   */
  resolve(ticker: Ticker): Promise<ResolvedInstrument | null>
}

export const identifierService = definePort<IdentifierService>('identifier-service')

/** The identifier service gave no usable answer: it was unreachable, too slow, throttling, or its answer was malformed. */
export class IdentifierServiceDown extends Error {
  override readonly name = 'IdentifierServiceDown'
  /** Delay after which a retry makes sense, or null if unknown. */
  readonly retryAfterMs: number | null
  /** False if no request was sent because the service had failed repeatedly before. */
  readonly wasAsked: boolean

  constructor(
    message: string,
    failure: { readonly retryAfterMs: number | null; readonly wasAsked: boolean; readonly cause?: unknown },
  ) {
    super(message, failure.cause === undefined ? {} : { cause: failure.cause })
    this.retryAfterMs = failure.retryAfterMs
    this.wasAsked = failure.wasAsked
  }
}
