import type { InputFieldMap, TypeParam } from '@pothos/core'
import type { Paging, TableSpec } from './endpoint.js'
import { type EndpointOptions, queryEndpoint, type Types } from './fields.js'

interface SeriesOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>
  extends Omit<EndpointOptions<Type, Args, Input>, 'rest' | 'cost'> {
  readonly path: string
  readonly tag: string
  /** Locates the rows and their total number in the body. */
  readonly table: Omit<TableSpec, 'paging'>
  /** The series has numbered pages: the arguments of `seriesPageArguments`. */
  readonly hasPages?: true
  /** Returns the arguments that the next page changes; null on the last page. */
  readonly nextPage?: (input: Input) => Readonly<Record<string, string>> | null
  /** Member of the body that holds the cursor of the next page. */
  readonly nextCursor?: string
}

/**
 * Adds a series, whose rows are sorted by time. REST adds `X-Total-Count`, `Link` to the next page and exports as CSV and
 * NDJSON.
 */
export function seriesEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  { path, tag, table, hasPages, nextPage, nextCursor, ...options }: SeriesOptions<Type, Args, Input>,
): void {
  const paging = pagingOf({ hasPages, nextPage, nextCursor })
  queryEndpoint(name, {
    ...options,
    cost: 'metered',
    rest: { method: 'GET', path, tag, table: { ...table, ...(paging === null ? {} : { paging }) } },
  })
}

function pagingOf<Input>({
  hasPages,
  nextPage,
  nextCursor,
}: {
  readonly hasPages: true | undefined
  readonly nextPage: ((input: Input) => Readonly<Record<string, string>> | null) | undefined
  readonly nextCursor: string | undefined
}): Paging | null {
  if (hasPages) return { by: 'page' }
  if (nextCursor !== undefined) return { by: 'cursor', member: nextCursor }
  if (nextPage === undefined) return null
  // The input is the result of this endpoint's `check`.
  return { by: 'arguments', next: nextPage as (input: unknown) => Readonly<Record<string, string>> | null }
}
