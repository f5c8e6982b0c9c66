import type { InputFieldMap, InputShapeFromFields, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import { GraphQLError, type GraphQLResolveInfo } from 'graphql'
import type { ErrorCode } from '../core/errors.js'
import type { DatasetName } from '../core/freshness.js'
import type { RequestContext } from '../platform/request-context.js'
import { type AccessRule, requireAccess } from '../policy/decide.js'
import { builder, type GraphQLContext, type SchemaTypes } from './builder.js'
import type { ArgumentHints, CostRule, Reads, RestRoute } from './endpoint.js'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
/** Builds the arguments of a root field. */
export type ArgBuilder = PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg']

interface EndpointOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input> {
  /** Shape, units, meaning of null, errors and source: the text of both documentations. */
  readonly description: string
  /** One line for lists of endpoints. */
  readonly summary: string
  readonly access: AccessRule
  readonly cost: CostRule
  /** Null: GraphQL only. */
  readonly rest: RestRoute | null
  readonly errors?: readonly ErrorCode[]
  /** All datasets the answer is made from. Left out: it is made from something else too, and never kept. */
  readonly reads?: Reads
  readonly type: Type
  readonly args?: (arg: ArgBuilder) => Args
  /** Checks the arguments and returns what `resolve` needs. Pure but for policy; runs before anything is charged. */
  readonly parse: (args: InputShapeFromFields<Args>, context: RequestContext) => Input | Promise<Input>
  readonly resolve: (
    input: Input,
    context: GraphQLContext,
  ) => ShapeFromTypeParam<Types, Type, true> | Promise<ShapeFromTypeParam<Types, Type, true>>
}

/** Adds a root query field with everything the doors need to know of it. */
export function queryEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  options: EndpointOptions<Type, Args, Input>,
): void {
  // Pothos infers field options from generics that are not fixed inside this helper; EndpointOptions fixes them for callers.
  builder.queryField(name, (t) => t.field(fieldOptions(t.arg, options) as never))
}

/** Adds a root mutation field with everything the doors need to know of it. */
export function mutationEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  options: EndpointOptions<Type, Args, Input>,
): void {
  // As above.
  builder.mutationField(name, (t) => t.field(fieldOptions(t.arg, options) as never))
}

function fieldOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  arg: ArgBuilder,
  options: EndpointOptions<Type, Args, Input>,
) {
  const { access, cost, rest, summary, errors = [], reads = null } = options
  // The plan calls parse with the arguments of this very field, so they have its shape.
  const parse = options.parse as (args: Readonly<Record<string, unknown>>, context: RequestContext) => unknown
  const resolve = (_root: unknown, _args: unknown, context: GraphQLContext, info: GraphQLResolveInfo) =>
    options.resolve(plannedInput<Input>(context, String(info.path.key)), context)
  return {
    type: options.type,
    // Nullable, so that one refused root field leaves the others of the operation their answers.
    nullable: true as const,
    description: options.description,
    subGraphs: rest ? (['Graph', 'Rest'] as const) : (['Graph'] as const),
    args: options.args?.(arg) ?? ({} as Args),
    extensions: { endpoint: { access, cost, rest, summary, errors, reads, parse } },
    resolve,
  }
}

interface SubscriptionOptions<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>
  extends Omit<EndpointOptions<Type, Args, Input>, 'rest' | 'resolve'> {
  /** Opens the stream; each element is one event. Ends when `context.live` is over. */
  readonly subscribe: (
    input: Input,
    context: GraphQLContext,
  ) => Promise<AsyncIterable<ShapeFromTypeParam<Types, Type, true>>>
}

/** Adds a root subscription field with everything the doors need to know of it; GraphQL only. */
export function subscriptionEndpoint<Type extends TypeParam<Types>, Args extends InputFieldMap, Input>(
  name: string,
  { subscribe, ...options }: SubscriptionOptions<Type, Args, Input>,
): void {
  const open = (_root: unknown, _args: unknown, context: GraphQLContext, info: GraphQLResolveInfo) =>
    subscribe(plannedInput<Input>(context, String(info.path.key)), context)
  builder.subscriptionField(name, (t) => {
    // A subscription's arguments are built as a query's; as for the others in the second cast.
    const field = fieldOptions(t.arg as ArgBuilder, { ...options, rest: null, resolve: () => null as never })
    return t.field({ ...field, subscribe: open, resolve: (event: unknown) => event } as never)
  })
}

/** The input the plan parsed for this root field, or its refusal. */
function plannedInput<Input>(context: GraphQLContext, key: string): Input {
  const planned = context.plan.fields.get(key)
  if (!planned) throw new GraphQLError(`field ${key} was not planned`)
  if ('error' in planned) throw planned.error
  return planned.input as Input // made by this field's own parse
}

/**
 * Options of a GraphQL-only edge that is an endpoint of its own in REST: scope, price, sub-graph and the datasets it is
 * made from, in one place.
 */
export function edge<Parent, Args, Value>(
  access: AccessRule,
  reads: readonly DatasetName[],
  resolve: (parent: Parent, args: Args, context: GraphQLContext) => Value,
) {
  return {
    subGraphs: ['Graph' as const],
    extensions: { edge: { access, reads } },
    resolve: (parent: Parent, args: Args, context: GraphQLContext): Value => {
      requireAccess(context.principal, access)
      return resolve(parent, args, context)
    },
  }
}

/** Bounds and examples of an argument for the documentation. */
export function hints(of: ArgumentHints): { extensions: { hints: ArgumentHints } } {
  return { extensions: { hints: of } }
}
