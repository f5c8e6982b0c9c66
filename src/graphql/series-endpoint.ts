import type { InputFieldMap, TypeParam } from '@pothos/core'
import type { Paging, TableSpec } from './endpoint.js'
import { type EndpointOptions, queryEndpoint, type Types } from './fields.js'

interface SeriesOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>
  extends Omit<EndpointOptions<Type, Args, Input>, 'rest' | 'cost'> {
  readonly path: string
  readonly tag: string
  /** Where the rows lie in the body, and how many there are on all pages. */
  readonly table: Omit<TableSpec, 'paging'>
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
  { path, tag, table, nextPage, nextCursor, ...options }: SeriesOptions<Type, Args, Input>,
): void {
  const paging: Paging | null =
    nextCursor !== undefined
      ? { by: 'cursor', member: nextCursor }
      : nextPage !== undefined
        ? // Called with what this endpoint's own check returned.
          { by: 'arguments', next: nextPage as (input: unknown) => Readonly<Record<string, string>> | null }
        : null
  queryEndpoint(name, {
    ...options,
    cost: 'metered',
    rest: { method: 'GET', path, tag, table: { ...table, ...(paging === null ? {} : { paging }) } },
  })
}
