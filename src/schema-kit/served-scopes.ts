import { type GraphQLSchema, isObjectType } from 'graphql'
import type { AccessRule } from '../policy/decide.js'
import { isScope, SCOPE_NAMES, type Scope } from '../policy/scopes.js'

/**
 * Lists the scopes that a root field, a nested edge or a part of a response needs. Keys can have only these. The other
 * scopes belong to endpoints that do not exist yet.
 */
export function servedScopes(schema: GraphQLSchema): ReadonlySet<Scope> {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const rules = types
    .flatMap((type) => Object.values(type.getFields()))
    .flatMap(({ extensions: { endpoint, edge } }): readonly (AccessRule | undefined)[] => [
      endpoint?.access,
      ...(endpoint?.partScopes ?? []),
      edge?.access,
    ])
  const needed = new Set(rules.filter((rule) => rule !== undefined).filter(isScope))
  return new Set(SCOPE_NAMES.filter((scope) => needed.has(scope)))
}
