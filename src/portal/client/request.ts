import { credentials, session, setSession } from './session.js'

/** Longest that the portal waits for an answer. */
const TIMEOUT_MS = 20_000

/** What the gateway says when it refuses. */
export class Refusal extends Error {
  readonly code: string
  readonly details: readonly { readonly field: string; readonly message: string }[]

  constructor(message: string, code: string, details: Refusal['details'] = []) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** Units left in the tightest window by the newest answer; null while nothing was asked. */
export const limits: { remaining: number | null; onChange: () => void } = {
  remaining: null,
  onChange: () => {},
}

/** Asks a REST route; a GET comes from the browser's cache while it is fresh, and a 304 is free of charge. */
export async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
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
    throw new Refusal(
      isLate ? 'The gateway did not answer in time.' : 'The gateway cannot be reached.',
      'network',
    )
  })
  noteLimits(response)
  if (response.status === 204) return undefined as Answer
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer as Answer
  if (response.status === 401 && known !== null) setSession(null)
  throw refusalOf(answer, response.status)
}

/** Runs a GraphQL operation and gives its data. */
export async function query<Data>(
  document: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Data> {
  const { data, errors } = await ask<{ data?: Data; errors?: readonly { message: string }[] }>(
    'POST',
    '/graphql',
    { query: document, variables },
  )
  const [first] = errors ?? []
  if (first !== undefined) throw new Refusal(first.message, 'graphql')
  return data as Data
}

function noteLimits(response: Response): void {
  const remaining = response.headers.get('x-ratelimit-remaining')
  if (remaining === null) return
  limits.remaining = Number(remaining)
  limits.onChange()
}

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly details?: Refusal['details']
}

function refusalOf(answer: unknown, status: number): Refusal {
  const errors = (answer as { errors?: readonly { message: string }[] } | null)?.errors
  if (errors?.[0] !== undefined) return new Refusal(errors[0].message, 'graphql')
  const body = answer as ErrorBody | null
  if (typeof body?.message !== 'string') return new Refusal(`The gateway answered ${status}.`, 'unreadable')
  return new Refusal(body.message, body.error, body.details)
}
