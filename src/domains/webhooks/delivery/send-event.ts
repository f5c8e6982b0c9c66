import { parseRetryAfter } from '../../../core/retry-after.js'
import { type Guard, guardedRequest } from '../../../platform/http-client/guarded-request.js'
import { ForbiddenAddress, hostOf, isLoopbackAddress } from '../../../platform/http-client/public-address.js'
import { VERSION } from '../../../platform/version.js'
import type { WebhookHosts } from '../model.js'

/** Longest wait that a receiver can request by Retry-After. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** An event as it is sent in one attempt. */
export interface EventToSend {
  readonly url: string
  /** Headers of the signature. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Response of a receiver to an attempt. */
export interface AttemptOutcome {
  /** `gone`: the receiver responded with 410 and wants no further events. */
  readonly kind: 'delivered' | 'failed' | 'gone'
  /** HTTP status; null when the receiver did not respond. */
  readonly status: number | null
  /** Why the attempt failed, for the owner of the webhook; null on success. */
  readonly error: string | null
  /** Wait that the receiver requests; null for none. */
  readonly retryAfterMs: number | null
  readonly durationMs: number
}

export interface SendOptions extends WebhookHosts {
  readonly timeoutMs: number
  /** Default: public addresses, resolved by the system. */
  readonly guard?: Guard
}

/** Bytes of a response that are read, so that the receiver can complete it; the rest is cut off. */
const MAX_ANSWER_BYTES = 4_096

/** Sends an event by POST and never throws. The timeout bounds the whole attempt, and a redirect is a failure. */
export async function sendEvent(event: EventToSend, options: SendOptions): Promise<AttemptOutcome> {
  const began = performance.now()
  const ended = (outcome: Omit<AttemptOutcome, 'durationMs'>): AttemptOutcome => ({
    ...outcome,
    durationMs: Math.round(performance.now() - began),
  })
  const signal = AbortSignal.timeout(options.timeoutMs)
  try {
    return ended(await answerTo(event, options, signal))
  } catch (error) {
    const reason = signal.aborted ? `no response within ${options.timeoutMs} ms` : reasonOf(error)
    return ended({ kind: 'failed', status: null, error: reason, retryAfterMs: null })
  }
}

async function answerTo(
  { url: text, headers, body }: EventToSend,
  { privateHosts, localHosts, guard = {} }: SendOptions,
  signal: AbortSignal,
): Promise<Omit<AttemptOutcome, 'durationMs'>> {
  const url = new URL(text)
  const isLocal = localHosts.has(hostOf(url))
  // The URL was checked when it was stored; this check makes sure that no event leaves this machine without TLS.
  if (url.protocol !== 'https:' && !isLocal) throw new ForbiddenAddress(url.hostname)
  const isAllowed = isLocal ? isLoopbackAddress : privateHosts.has(hostOf(url)) ? () => true : null
  const response = await guardedRequest(
    {
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `market-data-gateway/${VERSION} (webhook)`,
        ...headers,
      },
      body,
      signal,
    },
    isAllowed === null ? guard : { ...guard, isAllowed },
  )
  const { status } = response
  const requestedMs = parseRetryAfter(response.headers.get('retry-after'), new Date())
  await drop(response)
  if (status >= 200 && status < 300) return { kind: 'delivered', status, error: null, retryAfterMs: null }
  const error = status >= 300 && status < 400 ? `status ${status}: a redirect` : `status ${status}`
  return {
    kind: status === 410 ? 'gone' : 'failed',
    status,
    error,
    retryAfterMs: requestedMs && Math.min(MAX_RETRY_AFTER_MS, requestedMs),
  }
}

/** Reads and discards the beginning of a response. A response that breaks off still counts, because its status was read. */
async function drop(response: Response): Promise<void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (let bytes = 0; bytes < MAX_ANSWER_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.byteLength
    }
  } catch {
    // Its status was read.
  } finally {
    await reader.cancel().catch(() => {
      // It broke off before.
    })
  }
}

/** Error text for the owner, without resolved addresses and details of this process. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'the host resolves to an address that is not public'
  const { code } = error as { readonly code?: unknown } // of sockets, resolver and TLS
  if (typeof code !== 'string') return 'the connection failed'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved'
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (/CERT|TLS|SSL|ERR_OSSL|SIGNATURE|SELF_SIGNED/.test(code)) return `TLS failed: ${code}`
  return /^[A-Z_]{1,40}$/.test(code) ? `the connection failed: ${code}` : 'the connection failed'
}
