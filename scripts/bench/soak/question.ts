import { randomInt } from 'node:crypto'

/** A request and how it may be answered. */
export interface Question {
  /** What kind of request it is, for the tally. */
  readonly kind: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly statuses: readonly number[]
}

/** A kind of request: how often it is asked, against the others, and how one of it is made up. */
export interface QuestionKind {
  readonly weight: number
  make(): Question
}

/** The assets that questions are asked about. */
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
