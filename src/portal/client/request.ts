import { getPageViewId } from './page-view-id.js'
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
      ...(known !== null && { 'x-page-view': getPageViewId() }),
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

/** Queries that wait for an answer, by account and address. Panels of a page that show the same data share one request. */
const waiting = new Map<string, Promise<GraphQLResponse<unknown>>>()

function sendQuery(path: string): Promise<GraphQLResponse<unknown>> {
  const key = `${session()?.token ?? ''} ${path}`
  const running = waiting.get(key)
  if (running !== undefined) return running
  const sent = sendRequest<GraphQLResponse<unknown>>('GET', path).finally(() => waiting.delete(key))
  waiting.set(key, sent)
  return sent
}

/** Members below a root field that the caller may not see, or root fields whose data are not loaded. */
export type MayBeNull = 'members' | 'roots'

/**
 * Runs a GraphQL query and returns its data; throws the first error of what may not be null.
 * A query that fits into an address is sent by GET, so the browser's cache can answer it.
 */
export async function runQuery<Data>(
  document: string,
  variables: Readonly<Record<string, unknown>>,
  mayBeNull: MayBeNull | null = null,
): Promise<Data> {
  const search = new URLSearchParams({ query: document, variables: JSON.stringify(variables) })
  const path = `/graphql?${search}`
  const { data, errors } =
    path.length <= MAX_PATH_LENGTH
      ? await sendQuery(path)
      : await sendRequest<GraphQLResponse<unknown>>('POST', '/graphql', { query: document, variables })
  const isAllowed = ({ path = [], extensions: { code } }: GraphQLErrorBody) =>
    mayBeNull === 'members'
      ? code === 'FORBIDDEN' && path.length > 1
      : mayBeNull === 'roots' && path.length === 1 && NOT_LOADED.has(code)
  const first = errors?.find((error) => !isAllowed(error))
  if (first !== undefined) throw toGraphQLError(first)
  return data as Data
}

/** A dataset without data, or without the series. */
const NOT_LOADED: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'NOT_FOUND'])

export interface GraphQLResponse<Data> {
  readonly data?: Data
  readonly errors?: readonly GraphQLErrorBody[]
}

interface GraphQLErrorBody {
  readonly message: string
  readonly path?: readonly (string | number)[]
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
