import type { InputFieldMap, InputShapeFromFields, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import { type FieldNode, GraphQLError, type GraphQLResolveInfo, isNonNullType } from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import type { ErrorCode } from '../core/errors.js'
import { registerRoute } from '../core/operation-names.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { type AccessRule, requireAccess } from '../policy/decide.js'
import type { Scope } from '../policy/scopes.js'
import { builder, type GraphQLContext, type SchemaTypes } from './builder.js'
import type { ArgumentHints, CostRule, EdgeSpec, EndpointSpec, Reads, RestRoute } from './endpoint.js'
import { withStorableTexts } from './storable-texts.js'

export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
/** Builds the arguments of a root field. */
export type ArgBuilder = PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg']

export interface EndpointOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input> {
  /** Shape, units, meaning of null, errors and source: the text of both documentations. */
  readonly description: string
  /** One line for lists of endpoints. */
  readonly summary: string
  readonly access: AccessRule
  /** Scopes that an argument or a part of the answer needs beside `access`. */
  readonly partScopes?: readonly Scope[]
  readonly cost: CostRule
  /** Null: GraphQL only. */
  readonly rest: RestRoute | null
  readonly errors?: readonly ErrorCode[]
  /** All datasets the answer is made from. Left out: it is made from something else too, and never kept. */
  readonly reads?: Reads
  readonly type: Type
  readonly args?: (arg: ArgBuilder) => Args
  /**
   * Checks the arguments and what they ask for, and returns what `resolve` needs; runs before anything is charged. It
   * reads the database only where what is stored decides: which currencies there are, how old what is asked for is.
   */
  readonly check: (args: InputShapeFromFields<Args>, context: RequestContext) => Input | Promise<Input>
  /** Without `reads`: it depends on the clock or on a third party, so it has no entity tag. */
  readonly isUnsteady?: true
  /** A client asks again before each use of the answer. */
  readonly isAlwaysRevalidated?: true
  /** Whether the request waits for what comes next (a long poll); left out: it never does. */
  readonly waits?: (input: Input) => boolean
  /** Rows of the answer for a checked input, at most; where left out, the argument `limit` says so. */
  readonly rows?: (input: Input, context: RequestContext) => number
  readonly resolve: (
    input: Input,
    context: GraphQLContext,
    /** For `toPrismaSelect` where the type is a model. */
    info: GraphQLResolveInfo,
  ) => ShapeFromTypeParam<Types, Type, true> | Promise<ShapeFromTypeParam<Types, Type, true>>
}

/** Adds a root query field with everything both transports need to know of it. */
export function queryEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  options: EndpointOptions<Type, Args, Input>,
): void {
  // Pothos infers field options from generics that are not fixed inside this helper; EndpointOptions fixes them for callers.
  if (options.rest !== null) registerRoute(name, options.rest)
  builder.queryField(name, (t) => t.field(fieldOptions(t.arg, options) as never))
}

/** Adds a root mutation field with everything both transports need to know of it. */
export function mutationEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  options: EndpointOptions<Type, Args, Input>,
): void {
  // As above.
  if (options.rest !== null) registerRoute(name, options.rest)
  builder.mutationField(name, (t) => t.field(fieldOptions(t.arg, options) as never))
}

function fieldOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  arg: ArgBuilder,
  options: EndpointOptions<Type, Args, Input>,
) {
  const { access, partScopes, cost, rest, summary, errors = [], reads = null } = options
  // The plan calls check with the arguments of this very field, so they have its shape.
  const check = withStorableTexts(
    options.check as (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown,
  )
  // Called with what this field's own check returned.
  const waits = (options.waits ?? (() => false)) as (input: unknown) => boolean
  // As above: what check returned.
  const rows = options.rows as EndpointSpec['rows']
  const resolve = (_root: unknown, _args: unknown, context: GraphQLContext, info: GraphQLResolveInfo) =>
    options.resolve(plannedInput<Input>(context, String(info.path.key)), context, info)
  return {
    type: options.type,
    // Nullable, so that one refused root field leaves the others of the operation their answers.
    nullable: true as const,
    description: options.description,
    subGraphs: rest ? (['Graph', 'Rest'] as const) : (['Graph'] as const),
    args: options.args?.(arg) ?? ({} as Args),
    extensions: {
      endpoint: {
        access,
        cost,
        rest,
        summary,
        errors,
        reads: reads === null ? null : inOrder(reads),
        check,
        waits,
        ...(partScopes ? { partScopes } : {}),
        ...(options.isUnsteady ? { isUnsteady: true } : {}),
        ...(options.isAlwaysRevalidated ? { isAlwaysRevalidated: true } : {}),
        ...(rows ? { rows } : {}),
      },
    },
    resolve,
  }
}

/** In the order of their names, as an operation has those of its fields: `X-Data-Version` says them in one order in both styles. */
function inOrder(reads: readonly DatasetName[]): readonly DatasetName[] {
  return [...new Set(reads)].sort()
}

/** What `meteredEvents` does; the same for all. */
const EVENT_PRICE =
  'Each event costs what its selection costs, as a query does; opening pays the first one. While the quota of the hour is ' +
  'spent, the subscription sends one error (RATE_LIMITED, retry_after) and goes on by itself in the next hour; where that ' +
  'of the month is spent, it sends one and ends.'

interface SubscriptionOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>
  extends Omit<EndpointOptions<Type, Args, Input>, 'rest' | 'resolve'> {
  /** Opens the stream; each element is one event. Ends when `context.live` is over. */
  readonly subscribe: (
    input: Input,
    context: GraphQLContext,
  ) => Promise<AsyncIterable<ShapeFromTypeParam<Types, Type, true>>>
}

/** Adds a root subscription field with everything both transports need to know of it; GraphQL only. */
export function subscriptionEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  { subscribe, ...options }: SubscriptionOptions<Type, Args, Input>,
): void {
  const open = (_root: unknown, _args: unknown, context: GraphQLContext, info: GraphQLResolveInfo) =>
    subscribe(plannedInput<Input>(context, String(info.path.key)), context)
  builder.subscriptionField(name, (t) => {
    // A subscription's arguments are built as a query's; as for the others in the second cast.
    const field = fieldOptions(t.arg as ArgBuilder, {
      ...options,
      description: `${options.description} ${EVENT_PRICE}`,
      rest: null,
      resolve: () => null as never,
    })
    return t.field({ ...field, subscribe: open, resolve: (event: unknown) => event } as never)
  })
}

/** The input the plan parsed for this root field, or its refusal. */
function plannedInput<Input>(context: GraphQLContext, key: string): Input {
  const planned = context.plan.fields.get(key)
  if (!planned) throw new GraphQLError(`field ${key} was not planned`)
  if ('error' in planned) throw planned.error
  return planned.input as Input // returned by this field's own check
}

/** In a large operation many edges are read at once, and completed one after the other. */
function inTurn<Value>(value: Value, rows: number, { turns }: GraphQLContext): Value {
  if (turns === undefined || !(value instanceof Promise)) return value
  const later = value.then(async (read: unknown) => {
    await turns.spend(rows)
    return read
  })
  return later as Value // the same promise, kept later
}

interface EdgeChecks<Args, Input> {
  /** Checks the arguments, once for all parents, before anything runs; returns what `resolve` needs. */
  readonly check: (args: Args, context: RequestContext) => Input
  /** Rows for one parent, at most; where left out, the argument `limit` says so. */
  readonly rows?: (input: Input, context: RequestContext) => number
}

interface EdgeOptions<Parent, Args, Value> {
  readonly subGraphs: ['Graph']
  readonly extensions: { readonly edge: EdgeSpec }
  readonly resolve: (parent: Parent, args: Args, context: GraphQLContext, info: GraphQLResolveInfo) => Value
}

/**
 * Options of a GraphQL-only edge that is an endpoint of its own in REST: scope, price, sub-graph, the datasets it is
 * made from and the check of its arguments, in one place. An edge that the plan refused is null for all parents.
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
  // Arguments have the shape of the field that the edge is put on.
  const check = withStorableTexts(checks.check)
  const spec = { access, reads, ...checks, check } as EdgeSpec
  return {
    subGraphs: ['Graph'],
    extensions: { edge: spec },
    resolve: (parent, args, context, info) => {
      const outcome = context.plan.edges?.outcomes.get(info.fieldNodes[0] as FieldNode) // never empty
      if (outcome === undefined) {
        // Not below a planned root field: the same rules hold.
        requireAccess(context.principal, access)
        return resolve(parent, check(args, context), context)
      }
      if ('input' in outcome) return inTurn(resolve(parent, outcome.input, context), outcome.rows, context)
      if (isNonNullType(info.returnType)) throw outcome.error
      return null as Value // nullable: checked in the line before
    },
  }
}

/** Bounds and examples of an argument for the documentation. */
export function hints(of: ArgumentHints): { extensions: { hints: ArgumentHints } } {
  return { extensions: { hints: of } }
}
