import { randomInt } from 'node:crypto'

/** A request and its expected responses. */
export interface Question {
  /** Kind of the request in the results. */
  readonly kind: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly statuses: readonly number[]
}

/** A kind of request: its weight among all kinds, and the function that creates one. */
export interface QuestionKind {
  readonly weight: number
  make(): Question
}

/** The requested assets. */
export interface Catalogue {
  readonly slugs: readonly string[]
  readonly tickers: readonly string[]
}

export function get(
  kind: string,
  path: string,
  parameters: Readonly<Record<string, string | number>> = {},
  headers: Readonly<Record<string, string>> = {},
): Question {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
  const url = query.size === 0 ? path : `${path}?${query}`
  return { kind, method: 'GET', path: url, headers, body: null, statuses: [200] }
}

export function graphql(
  kind: string,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Question {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query, variables })
  return { kind, method: 'POST', path: '/graphql', headers, body, statuses: [200] }
}

export function chooseAny<Of>(choices: readonly Of[]): Of {
  const chosen = choices[randomInt(choices.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}
