import type { InputFieldMap, TypeParam } from '@pothos/core'
import type { Paging, TableSpec } from './endpoint.js'
import { type EndpointOptions, queryEndpoint, type Types } from './fields.js'

interface SeriesOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>
  extends Omit<EndpointOptions<Type, Args, Input>, 'rest' | 'cost'> {
  readonly path: string
  readonly tag: string
  /** Where the rows lie in the body, and how many there are on all pages. */
  readonly table: Omit<TableSpec, 'paging'>
  /** It has pages by number: the arguments of `seriesPageArguments`. */
  readonly hasPages?: true
  /** Arguments of the next page in which it differs from the one of a checked input; null on the last one. */
  readonly nextPage?: (input: Input) => Readonly<Record<string, string>> | null
  /** Member of the body that holds the cursor of the next page. */
  readonly nextCursor?: string
}

/**
 * Adds a series: rows in the order of time, in REST also with `X-Total-Count`, `Link` to the next page, and as CSV and
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
  // Called with what this endpoint's own check returned.
  return { by: 'arguments', next: nextPage as (input: unknown) => Readonly<Record<string, string>> | null }
}
