import { type GraphQLNamedType, getNamedType, isObjectType } from 'graphql'
import { hintsOf } from '../../../schema-kit/endpoint.js'
import type { RestEndpoint } from '../routes/rest-route.js'
import type { JsonSchema } from './json-schema.js'

type Schemas = Readonly<Record<string, JsonSchema>>

/** Adds `maxItems` to the rows of each list with an argument `limit`. */
export function withListBounds(schemas: Schemas, endpoints: readonly RestEndpoint[]): Schemas {
  const bounded: Record<string, JsonSchema> = { ...schemas }
  for (const [name, members] of rowsByType(endpoints)) {
    const schema = schemas[name]
    if (schema !== undefined) bounded[name] = { ...schema, properties: withMaxItems(schema, members) }
  }
  return bounded
}

function withMaxItems({ properties }: JsonSchema, members: ReadonlyMap<string, number>): Schemas {
  const bounded = { ...(properties as Schemas) } // of an object type: one schema per field
  for (const [member, maxItems] of members) bounded[member] = { ...bounded[member], maxItems }
  return bounded
}

/** Maximum number of rows by type and member. */
function rowsByType(endpoints: readonly RestEndpoint[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const byType = new Map<string, Map<string, number>>()
  for (const { field, rest } of endpoints) {
    const limit = field.args.find(({ name }) => name === 'limit')
    const most = limit && hintsOf(limit).maximum
    if (rest.table === undefined || most === undefined) continue
    const path = rest.table.rows.split('.')
    const member = path.pop() ?? ''
    const answer: GraphQLNamedType = getNamedType(field.type)
    const owner = path.reduce(memberType, answer)
    const members = byType.get(owner.name) ?? new Map<string, number>()
    members.set(member, Math.max(most, members.get(member) ?? 0))
    byType.set(owner.name, members)
  }
  return byType
}

function memberType(type: GraphQLNamedType, name: string): GraphQLNamedType {
  const field = isObjectType(type) ? type.getFields()[name] : undefined
  if (field === undefined) throw new Error(`${type.name} has no ${name}`)
  return getNamedType(field.type)
}
