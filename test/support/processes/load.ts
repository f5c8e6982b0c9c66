/** How one request of a load ended. */
export interface Outcome {
  readonly what: string
  /** 0: the connection broke before there was an answer. */
  readonly status: number
  readonly tookMs: number
  readonly headers: Headers
  readonly text: string
}

/** One request, to its end. */
export async function outcomeOf(what: string, url: string, init: RequestInit = {}): Promise<Outcome> {
  const startedAt = performance.now()
  try {
    const response = await fetch(url, init)
    const text = await response.text()
    const { status, headers } = response
    return { what, status, tookMs: performance.now() - startedAt, headers, text }
  } catch (error) {
    const text = String(error instanceof Error ? (error.cause ?? error) : error)
    return { what, status: 0, tookMs: performance.now() - startedAt, headers: new Headers(), text }
  }
}

/** What no body of ours may say. */
const INTERNALS =
  /ECONN|EPIPE|ETIMEDOUT|node_modules|\bat .+:\d+:\d+|127\.0\.0\.1:\d|postgres|redis|prisma|mdg_(test|live)_\w{20}/i

export interface Expected {
  readonly statuses: readonly number[]
  readonly withinMs: number
}

/** What is wrong with an answer while a service may be out; null: nothing. */
export function faultOf(outcome: Outcome, { statuses, withinMs }: Expected): string | null {
  const { what, status, tookMs, headers, text } = outcome
  if (!statuses.includes(status)) return `${what}: ${status} ${text.slice(0, 200)}`
  if (tookMs > withinMs) return `${what}: ${status} after ${Math.round(tookMs)} ms`
  if (status !== 503 || what === '/readyz') return null
  if (!(Number(headers.get('retry-after')) > 0)) return `${what}: 503 without Retry-After`
  const type = headers.get('content-type') ?? ''
  if (!/^application\/(problem\+|graphql-response\+)?json/.test(type)) return `${what}: 503 as "${type}"`
  const [said] = INTERNALS.exec(text) ?? []
  if (said !== undefined) return `${what}: the body of a 503 says ${JSON.stringify(said)}`
  return /service_unavailable/i.test(text) ? null : `${what}: 503 says ${text.slice(0, 200)}`
}
