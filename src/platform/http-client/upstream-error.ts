export type UpstreamErrorKind =
  | 'timeout'
  | 'unreachable'
  | 'too_large'
  | 'status'
  | 'open_circuit'
  | 'refused_redirect'

/** An upstream did not deliver. The message carries the redacted URL only. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly kind: UpstreamErrorKind
  /** The last status, kind `status` only. */
  readonly status: number | null
  /** How long to wait before another try makes sense, where that is known. */
  readonly retryAfterMs: number | null

  constructor(
    kind: UpstreamErrorKind,
    message: string,
    facts: { readonly status?: number; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.kind = kind
    this.status = facts.status ?? null
    this.retryAfterMs = facts.retryAfterMs ?? null
  }
}

/** Whether nobody was asked: the host failed repeatedly before and is left alone. */
export function isOpenCircuit(error: unknown): boolean {
  return error instanceof UpstreamError && error.kind === 'open_circuit'
}
