import { noteQuota } from './quota.js'
import { credentials, session, setSession } from './session.js'

/** The portal waits this long for a response. */
const TIMEOUT_MS = 20_000

/** An error response of the gateway, or a failed connection. */
export class RequestError extends Error {
  /** As in REST, such as `forbidden`; `network` without a response. */
  readonly code: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
  readonly upgradeUrl: string | null

  constructor(message: string, code: string, body: Partial<ErrorBody> = {}) {
    super(message)
    this.code = code
    this.details = body.details ?? []
    this.upgradeUrl = body.upgrade_url ?? null
  }
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
  noteQuota(response)
  if (response.status === 204) return undefined as Answer
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer as Answer
  if (response.status === 401 && known !== null) setSession(null)
  throw toRequestError(answer, response.status)
}

/** A longer address would exceed what some proxies accept. */
const MAX_PATH_LENGTH = 4_000

/**
 * Runs a GraphQL query and returns its data; throws the first error. A query that fits into an address is sent by GET, so
 * the browser's cache can answer it.
 */
export async function runQuery<Data>(
  document: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Data> {
  const search = new URLSearchParams({ query: document, variables: JSON.stringify(variables) })
  const path = `/graphql?${search}`
  const { data, errors } =
    path.length <= MAX_PATH_LENGTH
      ? await sendRequest<GraphQLResponse<Data>>('GET', path)
      : await sendRequest<GraphQLResponse<Data>>('POST', '/graphql', { query: document, variables })
  const [first] = errors ?? []
  if (first !== undefined) throw toGraphQLError(first)
  return data as Data
}

export interface GraphQLResponse<Data> {
  readonly data?: Data
  readonly errors?: readonly GraphQLErrorBody[]
}

interface GraphQLErrorBody {
  readonly message: string
  readonly extensions: Partial<ErrorBody> & { readonly code: string }
}

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly details: RequestError['details']
  readonly upgrade_url: string
}

export function toRequestError(answer: unknown, status: number): RequestError {
  const [first] = (answer as GraphQLResponse<unknown> | null)?.errors ?? []
  if (first !== undefined) return toGraphQLError(first)
  const body = answer as (Partial<ErrorBody> & Pick<ErrorBody, 'error'>) | null
  if (typeof body?.message !== 'string')
    return new RequestError(`The gateway responded with status ${status}. Try again later.`, 'unreadable')
  return new RequestError(body.message, body.error, body)
}

export function toGraphQLError({ message, extensions }: GraphQLErrorBody): RequestError {
  return new RequestError(message, extensions.code.toLowerCase(), extensions)
}
