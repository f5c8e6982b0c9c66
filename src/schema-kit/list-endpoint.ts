import type { InputFieldMap, InputShapeFromFields } from '@pothos/core'
import type { WholeBounds } from '../core/argument-parsers.js'
import type { DatasetName } from '../core/datasets.js'
import type { ErrorCode } from '../core/errors.js'
import { hasNext, OFFSET_LIMITS, type OffsetPage, parseOffsetPage } from '../core/page.js'
import { Problems } from '../core/problems.js'
import type { RequestContext } from '../platform/request/request-context.js'
import type { AccessRule } from '../policy/decide.js'
import type { Scope } from '../policy/scopes.js'
import type { ClockRule } from './endpoint.js'
import { defineListEnvelope, type Envelope, type ItemRef } from './envelope.js'
import { type ArgBuilder, queryEndpoint } from './fields.js'
import { offsetPageArguments } from './shared-arguments.js'

interface ListOptions<Item extends object, Filters extends InputFieldMap, Filter> {
  readonly summary: string
  readonly keywords?: readonly string[]
  readonly description: string
  readonly access: AccessRule
  /** Further scopes that the list needs. */
  readonly partScopes?: readonly Scope[]
  readonly errors?: readonly ErrorCode[]
  readonly reads: readonly DatasetName[]
  /** How the list answers as of the instant of a clock; default: by its argument `release`, or not at all without one. */
  readonly clock?: ClockRule
  readonly path: string
  readonly tag: string
  readonly item: ItemRef<Item>
  /** Name of the envelope type; default: that of `defineListEnvelope`. */
  readonly envelopeName?: string
  /** Bounds of the rows per page; default: `OFFSET_LIMITS`. */
  readonly limits?: WholeBounds
  /** Arguments in addition to limit and offset. */
  readonly filters: (arg: ArgBuilder) => Filters
  /** Parses the filter arguments; adds what is wrong to `problems`. */
  readonly check: (args: InputShapeFromFields<Filters>, problems: Problems, context: RequestContext) => Filter
  /** Returns one page in its envelope and the number of rows on all pages. */
  readonly resolve: (
    filter: Filter,
    page: OffsetPage,
    context: RequestContext,
  ) => Promise<{ readonly envelope: Envelope<readonly Item[]>; readonly total: number }>
}

/**
 * Adds a list with pages by limit and offset. Its envelope has `total` and `has_next`. REST adds `Link`, `X-Total-Count`
 * and exports as CSV and NDJSON.
 */
export function listEndpoint<Item extends object, Filters extends InputFieldMap, Filter>(
  name: string,
  {
    path,
    tag,
    item,
    envelopeName,
    limits = OFFSET_LIMITS,
    filters,
    check,
    resolve,
    ...options
  }: ListOptions<Item, Filters, Filter>,
): void {
  queryEndpoint(name, {
    ...options,
    cost: 'metered',
    rest: {
      method: 'GET',
      path,
      tag,
      table: { rows: 'data', total: 'meta.total', paging: { by: 'offset' } },
    },
    type: defineListEnvelope(item, envelopeName),
    args: (arg) => ({ ...offsetPageArguments(arg, limits), ...filters(arg) }),
    check: (args, context) => {
      const problems = new Problems()
      const page = parseOffsetPage(problems, args, limits)
      // The field's arguments include those of the filters.
      const filter = check(args as unknown as InputShapeFromFields<Filters>, problems, context)
      problems.refuse()
      return { filter, page }
    },
    resolve: async ({ filter, page }, context) => {
      const { envelope, total } = await resolve(filter, page, context)
      return { ...envelope, meta: { ...envelope.meta, total, has_next: hasNext(page, total) } }
    },
  })
}
