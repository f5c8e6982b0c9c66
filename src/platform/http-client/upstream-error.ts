export type UpstreamErrorKind =
  | 'timeout'
  | 'unreachable'
  | 'too_large'
  | 'status'
  | 'blocked'
  | 'open_circuit'
  | 'rate_used_up'
  | 'refused_redirect'

/** An upstream failed. The message contains only the redacted URL. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly kind: UpstreamErrorKind
  /** The last status, kind `status` only. */
  readonly status: number | null
  /** How long to wait before a retry makes sense, if known. */
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

/** Whether the host was not contacted: it failed repeatedly before, it rests, or others use up its rate. */
export function isUnsent(error: unknown): boolean {
  return error instanceof UpstreamError && (error.kind === 'open_circuit' || error.kind === 'rate_used_up')
}
