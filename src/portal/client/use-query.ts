import { useCallback } from 'preact/hooks'
import { type MayBeNull, runQuery } from './request.js'
import { type RequestState, useLoaded } from './use-request.js'

/** A call of a REST route. */
export interface RestCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

/** A GraphQL operation, and the calls of REST routes that return the same data. */
export interface ApiQuery {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly rest: readonly RestCall[]
  /** What the calls lack; omitted if they return all of the data. */
  readonly restNote?: string
  /** What may be null. By default the first error fails the query. */
  readonly mayBeNull?: MayBeNull
}

/** A GET of a REST route. Parameters that are null or undefined are left out. */
export function restGet(path: string, parameters: Readonly<Record<string, unknown>> = {}): RestCall {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return { method: 'GET', path: given.length === 0 ? path : `${path}?${search}` }
}

/** The data of a GraphQL operation, requested again when a variable changes. */
export function useQuery<Data>(
  { document, variables, mayBeNull }: ApiQuery,
  isOpen = false,
): RequestState<Data> {
  const text = JSON.stringify(variables)
  const load = useCallback(
    () => runQuery<Data>(document, JSON.parse(text), mayBeNull),
    [document, text, mayBeNull],
  )
  return useLoaded(load, isOpen)
}
