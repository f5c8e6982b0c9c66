import { credentials, session, setSession } from './session.js'

/** The portal waits this long for a response. */
const TIMEOUT_MS = 20_000

/** An error response of the gateway, or a failed connection. */
export class RequestError extends Error {
  readonly code: string
  readonly details: readonly { readonly field: string; readonly message: string }[]

  constructor(message: string, code: string, details: RequestError['details'] = []) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** The tightest quota window, as the newest response reports it. */
export interface Quota {
  readonly remaining: number
  /** When the window ends: ISO 8601. */
  readonly resetsAt: string
}

/** `quota` is null before the first response. */
export const limits: { quota: Quota | null; onChange: () => void } = {
  quota: null,
  onChange: () => {},
}

/** Requests a REST route. The browser's cache answers a GET while it is fresh; a 304 is free of charge. */
export async function sendRequest<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const known = session()
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...credentials(known),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw new RequestError(
      isLate
        ? 'The gateway did not respond within 20 seconds. Try again.'
        : 'The gateway cannot be reached. Check your connection and try again.',
      'network',
    )
  })
  updateLimits(response)
  if (response.status === 204) return undefined as Answer
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer as Answer
  if (response.status === 401 && known !== null) setSession(null)
  throw toRequestError(answer, response.status)
}

/** Runs a GraphQL operation and returns its data; throws the first error. */
export async function runQuery<Data>(
  document: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Data> {
  const { data, errors } = await sendRequest<{ data?: Data; errors?: readonly { message: string }[] }>(
    'POST',
    '/graphql',
    { query: document, variables },
  )
  const [first] = errors ?? []
  if (first !== undefined) throw new RequestError(first.message, 'graphql')
  return data as Data
}

function updateLimits(response: Response): void {
  const remaining = response.headers.get('x-ratelimit-remaining')
  const reset = response.headers.get('x-ratelimit-reset')
  if (remaining === null || reset === null) return
  limits.quota = { remaining: Number(remaining), resetsAt: new Date(Number(reset) * 1000).toISOString() }
  limits.onChange()
}

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly details?: RequestError['details']
}

function toRequestError(answer: unknown, status: number): RequestError {
  const errors = (answer as { errors?: readonly { message: string }[] } | null)?.errors
  if (errors?.[0] !== undefined) return new RequestError(errors[0].message, 'graphql')
  const body = answer as ErrorBody | null
  if (typeof body?.message !== 'string')
    return new RequestError(`The gateway responded with status ${status}. Try again later.`, 'unreadable')
  return new RequestError(body.message, body.error, body.details)
}
