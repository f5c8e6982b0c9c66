import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import SubGraphPlugin from '@pothos/plugin-sub-graph'
import { type GraphQLNamedType, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'
import type PrismaTypes from '../generated/pothos-types.js'
import { getDatamodel } from '../generated/pothos-types.js'
import type { PrismaClient } from '../generated/prisma/client.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { describeBounds } from './bounds-text.js'
import { endpointOf } from './endpoint.js'
import type { EventLoopBudget } from './event-loop-budget.js'
import type { OperationPlan } from './operation-plan.js'
import {
  BigIntScalar,
  DateScalar,
  DateTimeScalar,
  JsonObjectScalar,
  JsonScalar,
  UrlScalar,
  UuidScalar,
} from './scalars.js'
import { acceptEnumTexts } from './text-enum.js'

/** What resolvers see: the services' context and the plan of the operation that runs. */
export interface GraphQLContext extends RequestContext {
  plan: OperationPlan
  /** Present for a large operation, which is made a slice at a time. */
  turns?: EventLoopBudget
}

export interface SchemaTypes {
  PrismaTypes: PrismaTypes
  Context: GraphQLContext
  DefaultFieldNullability: false
  SubGraphs: 'Graph' | 'Rest'
  Scalars: {
    Date: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    JSONObject: { Input: Record<string, unknown>; Output: Readonly<Record<string, unknown>> }
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
    client: (context) => context.database.prisma as PrismaClient, // the plugin calls models alone
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
builder.addScalarType('UUID', UuidScalar)
builder.addScalarType('URL', UrlScalar)
builder.addScalarType('BigInt', BigIntScalar)
builder.queryType({
  description: 'Everything that can be read. Each field is charged 1 unit unless it says otherwise.',
})
builder.mutationType({ description: 'Everything that can be changed.' })
builder.subscriptionType({
  description:
    'Everything that can be followed, as server-sent events or over a WebSocket. Each event is charged.',
  subGraphs: ['Graph'],
})

export interface Schemas {
  /** What GraphQL clients see. */
  readonly graph: GraphQLSchema
  /** Only what REST may show: root fields with a route, types without GraphQL-only edges. */
  readonly rest: GraphQLSchema
}

/** Builds both schemas; refuses a root field without access rule, cost and description. */
export function buildSchemas(): Schemas {
  const graph = builder.toSchema({ subGraph: 'Graph', sortSchema: false })
  const rest = builder.toSchema({ subGraph: 'Rest', sortSchema: false })
  for (const schema of [graph, rest]) {
    acceptEnumTexts(schema)
    for (const root of rootTypes(schema)) assertHasEndpoint(root)
    for (const type of Object.values(schema.getTypeMap())) if (isObjectType(type)) dropOwnNames(type)
  }
  // OpenAPI, made from `rest`, has keywords for them.
  for (const type of Object.values(graph.getTypeMap()))
    if (isObjectType(type)) for (const field of Object.values(type.getFields())) describeBounds(field)
  return { graph, rest }
}

/** A field that is read from the member of its own name needs no resolver: executors read members themselves, faster. */
function dropOwnNames(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields()))
    if (field.extensions.pothosExposedField === field.name) delete field.resolve
}

function rootTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  )
}

function assertHasEndpoint(root: GraphQLNamedType): void {
  if (!isObjectType(root)) return
  for (const field of Object.values(root.getFields())) {
    endpointOf(field)
    if (!field.description) throw new Error(`root field ${root.name}.${field.name} has no description`)
  }
}
