import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import SubGraphPlugin from '@pothos/plugin-sub-graph'
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLSchema,
  isNullableType,
  isObjectType,
} from 'graphql'
import { getDatamodel } from '../generated/pothos-types.js'
import type { PrismaClient } from '../generated/prisma/client.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { describeBounds } from './bounds-text.js'
import { endpointOf } from './endpoint.js'
import type { EventLoopBudget } from './event-loop-budget.js'
import type { ModelTypes } from './model-rows.js'
import type { OperationPlan } from './operation-plan.js'
import {
  BigIntScalar,
  DateScalar,
  DateTimeScalar,
  EntityScalar,
  JsonObjectScalar,
  JsonScalar,
  UrlScalar,
  UuidScalar,
} from './scalars.js'
import { acceptEnumTexts } from './text-enum.js'

/** The context of resolvers: the services' context and the plan of the running operation. */
export interface GraphQLContext extends RequestContext {
  plan: OperationPlan
  /** Present for a large operation, which yields to the event loop between slices of rows. */
  budget?: EventLoopBudget
}

export interface SchemaTypes {
  PrismaTypes: ModelTypes
  Context: GraphQLContext
  DefaultFieldNullability: false
  SubGraphs: 'Graph' | 'Rest'
  Scalars: {
    Date: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    JSONObject: { Input: Record<string, unknown>; Output: Readonly<Record<string, unknown>> }
    /** An entity of a federated graph, as a router sends it. */
    _Any: { Input: Record<string, unknown>; Output: never }
    JSON: { Input: string | number | boolean; Output: string | number | boolean }
    UUID: { Input: string; Output: string }
    URL: { Input: string; Output: string }
    BigInt: { Input: number; Output: number }
  }
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [PrismaPlugin, SubGraphPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.database.prisma as PrismaClient, // the plugin only calls models
    dmmf: getDatamodel(),
  },
  subGraphs: {
    defaultForTypes: ['Graph', 'Rest'],
    fieldsInheritFromTypes: true,
    explicitlyIncludeType: () => false,
  },
})

builder.addScalarType('Date', DateScalar)
builder.addScalarType('DateTime', DateTimeScalar)
builder.addScalarType('JSONObject', JsonObjectScalar)
builder.addScalarType('JSON', JsonScalar)
builder.addScalarType('_Any', EntityScalar)
builder.addScalarType('UUID', UuidScalar)
builder.addScalarType('URL', UrlScalar)
builder.addScalarType('BigInt', BigIntScalar)
builder.queryType({
  description: 'All reads. Each field costs 1 unit unless its description says otherwise.',
})
builder.mutationType({ description: 'All changes.' })
builder.subscriptionType({
  description: 'All live data, as server-sent events or over a WebSocket. Each event is charged.',
  subGraphs: ['Graph'],
})

export interface Schemas {
  /** The schema of GraphQL clients. */
  readonly graph: GraphQLSchema
  /** The schema of REST: root fields with a route, and types without GraphQL-only edges. */
  readonly rest: GraphQLSchema
}

/** Builds both schemas; throws for a root field without an endpoint or description. */
export function buildSchemas(): Schemas {
  const graph = builder.toSchema({ subGraph: 'Graph', sortSchema: false })
  const rest = builder.toSchema({ subGraph: 'Rest', sortSchema: false })
  for (const schema of [graph, rest]) {
    acceptEnumTexts(schema)
    for (const root of rootTypes(schema)) assertHasEndpoint(root)
    for (const type of Object.values(schema.getTypeMap()))
      if (isObjectType(type)) {
        dropDefaultResolvers(type)
        putDataFirst(type)
      }
  }
  for (const root of rootTypes(rest)) requirePathArguments(root)
  // Only `graph`: OpenAPI, which is generated from `rest`, has keywords for bounds.
  for (const type of Object.values(graph.getTypeMap()))
    if (isObjectType(type))
      for (const field of Object.values(type.getFields())) {
        describeBounds(field)
        describeRefusal(field)
      }
  return { graph, rest }
}

/** The executors read a member with the field's name faster than the default resolver does, which Pothos names. */
function dropDefaultResolvers(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields()))
    if (field.resolve === defaultFieldResolver) delete field.resolve
}

/** A body begins with its data, but Pothos puts the fields of an interface, here `meta` and `_meta`, before it. */
function putDataFirst(type: GraphQLObjectType): void {
  const fields = type.getFields()
  const [first, second, third] = Object.values(fields)
  if (first?.name !== 'meta' || second?.name !== '_meta' || third?.name !== 'data') return
  for (const field of [first, second]) {
    delete fields[field.name]
    fields[field.name] = field
  }
}

/** Says of an edge when it is null besides what its description says: the plan refuses it for all parents. */
function describeRefusal(field: GraphQLField<unknown, unknown>): void {
  if (field.extensions.edge === undefined || !isNullableType(field.type)) return
  field.description = `${field.description} Null if it is refused: \`errors\` says why.`
}

function rootTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  )
}

/** A path always has its parameters. In GraphQL some are optional, because another argument may replace them. */
function requirePathArguments(root: GraphQLNamedType): void {
  if (!isObjectType(root)) return
  for (const field of Object.values(root.getFields()))
    for (const argument of field.args)
      if (isNullableType(argument.type) && endpointOf(field).rest?.path.includes(`{${argument.name}}`))
        argument.type = new GraphQLNonNull(argument.type)
}

function assertHasEndpoint(root: GraphQLNamedType): void {
  if (!isObjectType(root)) return
  for (const field of Object.values(root.getFields())) {
    endpointOf(field)
    if (!field.description)
      throw new Error(`Root field ${root.name}.${field.name} has no description; add one.`)
  }
}
