import type {
  InputFieldMap,
  InputShapeFromFields,
  ObjectRef,
  ShapeFromTypeParam,
  TypeParam,
} from '@pothos/core'
import type { PrismaModelTypes } from '@pothos/plugin-prisma'
import { GraphQLError, type GraphQLResolveInfo, isNonNullType } from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import type { ErrorCode } from '../core/errors.js'
import type { Slug } from '../core/identifiers.js'
import { registerRoute } from '../core/operation-names.js'
import type { DataPart } from '../platform/database/versions/data-parts.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { type AccessRule, requireAccess } from '../policy/decide.js'
import type { Scope } from '../policy/scopes.js'
import { builder, type GraphQLContext, type SchemaTypes } from './builder.js'
import type {
  ArgumentHints,
  ClockRule,
  CostRule,
  EdgeSpec,
  EndpointSpec,
  NarrowedEndpoint,
  Reads,
  RestRoute,
} from './endpoint.js'
import type { ModelTypes } from './model-rows.js'
import { placesOn } from './operation-plan.js'
import { addPageInfo } from './page-info.js'
import { atClock, withLoadedRelease, withRelease } from './pinned-release.js'
import { withStorableTexts } from './storable-texts.js'

export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
/** Builds the fields of a type on a model, whose rows have at least these columns. */
export type ModelFieldBuilder<
  Name extends keyof ModelTypes,
  Column extends keyof ModelTypes[Name]['Shape'],
> = PothosSchemaTypes.PrismaObjectFieldBuilder<
  Types,
  PrismaModelTypes & ModelTypes[Name],
  Pick<ModelTypes[Name]['Shape'], Column>
>
/** Builds the arguments of a root field. */
export type ArgBuilder = PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg']

export interface EndpointOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input> {
  /** Describes shape, units, meaning of null, errors and source, for GraphQL and REST. */
  readonly description: string
  /** One line for lists of endpoints. */
  readonly summary: string
  /** Words that people use for what it returns, beside those of its texts. Each query of REST below /v1 has some. */
  readonly keywords?: readonly string[]
  readonly access: AccessRule
  /** Further scopes that an argument or a part of the response needs. */
  readonly partScopes?: readonly Scope[]
  readonly cost: CostRule
  /** Null: GraphQL only. */
  readonly rest: RestRoute | null
  readonly errors?: readonly ErrorCode[]
  /** All datasets of the response. Omit if it depends on anything else, so that it is never cached. */
  readonly reads?: Reads
  /** The grains that a checked input reads; each replaces its dataset in `reads`. Omitted: whole datasets. */
  readonly grains?: (input: Input, context: RequestContext) => readonly DataPart[]
  /** The slug of the asset that the response is about, for the grains of its edges. */
  readonly assetOf?: (input: Input) => Slug
  readonly type: Type
  readonly args?: (arg: ArgBuilder) => Args
  /**
   * Checks the arguments before anything is charged, and returns the input of `resolve`. It reads the database only if the
   * check depends on stored data, e.g. on the known currencies.
   */
  readonly check: (args: InputShapeFromFields<Args>, context: RequestContext) => Input | Promise<Input>
  /** The response depends on the clock or on a third party, so it has no ETag. Requires `reads` to be omitted. */
  readonly isVolatile?: true
  /** Clients must revalidate the response before each use. */
  readonly isAlwaysRevalidated?: true
  /** How the field answers as of the instant of a clock; default: by its argument `release`, or not at all without one. */
  readonly clock?: ClockRule
  /** Whether the request is a long poll; default: never. */
  readonly waits?: (input: Input) => boolean
  /** Maximum number of rows for a checked input; default: the argument `limit`. */
  readonly rows?: (input: Input, context: RequestContext) => number
  /** The type is a list whose elements may be null. */
  readonly hasNullableItems?: true
  /** The call costs 1 unit per this many rows. Requires `rows`. Omitted: it costs 1 unit. */
  readonly rowsPerUnit?: number
  /** The endpoint of a checked input, for a field that serves the answers of other endpoints. */
  readonly forInput?: (input: Input, endpoint: EndpointSpec) => NarrowedEndpoint
  readonly resolve: (
    input: Input,
    context: GraphQLContext,
    /** For `toPrismaSelect` where the type is a model. */
    info: GraphQLResolveInfo,
  ) => Resolved<Type> | Promise<Resolved<Type>>
}

/** What a root field resolves to; elements of a list may be null with `hasNullableItems`. */
type Resolved<Type extends TypeParam<Types>> =
  | ShapeFromTypeParam<Types, Type, true>
  | (Type extends [infer Item extends TypeParam<Types>]
      ? readonly (ShapeFromTypeParam<Types, Item, true> | null)[]
      : never)

/** Adds a root query field and its REST route. */
export function queryEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  options: EndpointOptions<Type, Args, Input>,
): void {
  // Pothos infers field options from generics that are not fixed inside this helper; EndpointOptions fixes them for callers.
  if (options.rest !== null) registerRoute(name, options.rest)
  // The type of a root field with a table is an object.
  if (options.rest?.table)
    addPageInfo(options.type as unknown as ObjectRef<Types, unknown>, options.rest.table)
  builder.queryField(name, (t) => {
    const field = fieldOptions(t.arg, options)
    queryEndpoints.set(name, field.extensions.endpoint)
    return t.field(field as never)
  })
}

/** The endpoints of root query fields, from the first build of the schema on. */
const queryEndpoints = new Map<string, EndpointSpec>()

export function queryEndpointOf(name: string): EndpointSpec {
  const endpoint = queryEndpoints.get(name)
  if (endpoint === undefined) throw new Error(`There is no root query field ${name}.`)
  return endpoint
}

/** Adds a root mutation field and its REST route. */
export function mutationEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  options: EndpointOptions<Type, Args, Input>,
): void {
  // The cast is explained in queryEndpoint.
  if (options.rest !== null) registerRoute(name, options.rest)
  builder.mutationField(name, (t) => t.field(fieldOptions(t.arg, options) as never))
}

function fieldOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  arg: ArgBuilder,
  options: EndpointOptions<Type, Args, Input>,
) {
  const {
    access,
    partScopes,
    cost,
    rest,
    summary,
    keywords,
    errors = [],
    reads = null,
    rowsPerUnit,
  } = options
  const args = options.args?.(arg) ?? ({} as Args)
  // The plan calls `check` with the arguments of this field, so they have its shape.
  const check = withLoadedRelease(
    withStorableTexts(
      options.check as (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown,
    ),
    {
      instant: 'known_at' in args ? 'known_at' : 'as_of',
      reads,
      readsOf: (input) => endpoint.forInput?.(input).reads ?? reads,
    },
  )
  // The plan calls these with the result of this field's `check`.
  const waits = (options.waits ?? (() => false)) as (input: unknown) => boolean
  const rows = options.rows as EndpointSpec['rows']
  const grains = options.grains as EndpointSpec['grains']
  const assetOf = options.assetOf as EndpointSpec['assetOf']
  const resolve = (_root: unknown, _args: unknown, context: GraphQLContext, info: GraphQLResolveInfo) =>
    options.resolve(plannedInput<Input>(context, String(info.path.key)), context, info)
  const forInput = options.forInput
  const endpoint: EndpointSpec = {
    access,
    cost,
    rest,
    summary,
    errors,
    reads: reads === null ? null : sortUnique(reads),
    check,
    waits,
    ...(keywords ? { keywords } : {}),
    ...(partScopes ? { partScopes } : {}),
    ...(options.isVolatile ? { isVolatile: true } : {}),
    ...(options.isAlwaysRevalidated ? { isAlwaysRevalidated: true } : {}),
    ...(options.clock ? { clock: options.clock } : {}),
    ...(rows ? { rows } : {}),
    ...(grains ? { grains } : {}),
    ...(assetOf ? { assetOf } : {}),
    ...(rowsPerUnit ? { rowsPerUnit } : {}),
    ...(forInput ? { forInput: (input) => forInput(input as Input, endpoint) } : {}),
  }
  return {
    type: options.type,
    // Nullable, so that a rejected root field does not remove the data of the others.
    nullable: options.hasNullableItems ? ({ list: true, items: true } as const) : (true as const),
    description: options.description,
    subGraphs: rest ? (['Graph', 'Rest'] as const) : (['Graph'] as const),
    args,
    extensions: { endpoint },
    resolve,
  }
}

/** Sorted by name, as the datasets of an operation are, so that `X-Data-Version` has one order in REST and GraphQL. */
function sortUnique(reads: readonly DatasetName[]): readonly DatasetName[] {
  return [...new Set(reads)].sort()
}

/** Describes the behaviour of `meteredEvents`, which all subscriptions share. */
const EVENT_PRICE =
  'Each event costs as much as a query with the same selection; opening the subscription pays for the first event. ' +
  'If the hourly quota is used up, the subscription sends one error (RATE_LIMITED, retry_after) and continues in the ' +
  'next hour. If the monthly quota is used up, it sends one error and ends.'

interface SubscriptionOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>
  extends Omit<EndpointOptions<Type, Args, Input>, 'rest' | 'resolve'> {
  /** Opens the stream, whose elements are the events. The stream ends when `context.live` ends. */
  readonly subscribe: (
    input: Input,
    context: GraphQLContext,
  ) => Promise<AsyncIterable<ShapeFromTypeParam<Types, Type, true>>>
}

/** Adds a root subscription field, which REST does not have. */
export function subscriptionEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  { subscribe, ...options }: SubscriptionOptions<Type, Args, Input>,
): void {
  const open = (_root: unknown, _args: unknown, context: GraphQLContext, info: GraphQLResolveInfo) =>
    subscribe(plannedInput<Input>(context, String(info.path.key)), context)
  builder.subscriptionField(name, (t) => {
    // Arguments of subscriptions are built like those of queries. The second cast is explained in queryEndpoint.
    const field = fieldOptions(t.arg as ArgBuilder, {
      ...options,
      description: `${options.description} ${EVENT_PRICE}`,
      rest: null,
      resolve: () => null as never,
    })
    return t.field({ ...field, subscribe: open, resolve: (event: unknown) => event } as never)
  })
}

/** Returns the input that the plan parsed for this root field, or throws the field's error. */
function plannedInput<Input>(context: GraphQLContext, key: string): Input {
  const planned = context.plan.fields.get(key)
  if (!planned) throw new GraphQLError(`Field ${key} has no plan.`)
  if ('error' in planned) throw planned.error
  return planned.input as Input // returned by this field's own check
}

/** Delays the completion of an edge in a large operation: its edges are loaded together, but completed in slices. */
function delayToTick<Value>(value: Value, rows: number, { budget }: GraphQLContext): Value {
  if (budget === undefined || !(value instanceof Promise)) return value
  const delayed = value.then(async (loaded: unknown) => {
    await budget.spend(rows)
    return loaded
  })
  return delayed as Value // Value is a promise, as checked above
}

interface EdgeChecks<Args, Input> {
  /** Checks the arguments once for all parents, before anything runs; returns the input of `resolve`. */
  readonly check: (args: Args, context: RequestContext) => Input
  /** Maximum number of rows per parent; default: the argument `limit`. */
  readonly rows?: (input: Input, context: RequestContext) => number
  /** The grains that it reads for one asset; each replaces its dataset. Omitted: whole datasets. */
  readonly grains?: (slug: Slug, input: Input, context: RequestContext) => readonly DataPart[]
}

interface EdgeOptions<Parent, Args, Value> {
  readonly subGraphs: ['Graph']
  readonly extensions: { readonly edge: EdgeSpec }
  readonly resolve: (parent: Parent, args: Args, context: GraphQLContext, info: GraphQLResolveInfo) => Value
}

/**
 * Creates the field options of a nested edge that REST serves as a separate endpoint: scope, price, sub-graph, datasets
 * and the check of its arguments. An edge that the plan rejected is null for all parents.
 */
export function edge<Parent, Args, Value>(
  access: AccessRule,
  reads: readonly DatasetName[],
  resolve: (parent: Parent, args: Args, context: GraphQLContext) => Value,
): EdgeOptions<Parent, Args, Value>
export function edge<Parent, Args, Value, Input>(
  access: AccessRule,
  reads: readonly DatasetName[],
  resolve: (parent: Parent, input: Input, context: GraphQLContext) => Value,
  checks: EdgeChecks<Args, Input>,
): EdgeOptions<Parent, Args, Value>
export function edge<Parent, Args, Value>(
  access: AccessRule,
  reads: readonly DatasetName[],
  resolve: (parent: Parent, input: unknown, context: GraphQLContext) => Value,
  checks: EdgeChecks<Args, unknown> = { check: (args) => args },
): EdgeOptions<Parent, Args, Value> {
  // The arguments have the shape of the field that gets these options.
  const check = withRelease(withStorableTexts(checks.check), { instant: 'as_of', reads })
  const spec = { access, reads, ...checks, check } as EdgeSpec
  return {
    subGraphs: ['Graph'],
    extensions: { edge: spec },
    resolve: (parent, args, context, info) => {
      const outcome = placesOn(context.plan, info.path).at(-1)?.edge?.outcome
      if (outcome === undefined) {
        // The edge is not below a planned root field, so its access and arguments are checked here.
        requireAccess(context.principal, access)
        const field = info.parentType.getFields()[info.fieldName]
        const known = field === undefined ? args : (atClock(args as never, field, spec, context) as Args)
        return resolve(parent, check(known, context), context)
      }
      if ('input' in outcome)
        return delayToTick(resolve(parent, outcome.input, context), outcome.rows, context)
      if (isNonNullType(info.returnType)) throw outcome.error
      return null as Value // the field is nullable: see the line above
    },
  }
}

/** Creates the argument option that holds hints for the documentation. */
export function hints(of: ArgumentHints): { extensions: { hints: ArgumentHints } } {
  return { extensions: { hints: of } }
}
