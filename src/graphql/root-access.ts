import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { requireAccess } from '../policy/decide.js'
import type { Principal } from '../policy/principal.js'
import { endpointOf } from './endpoint.js'

/**
 * Throws 401 or 403 where the caller may run no root field of the operation: as in REST, who may not ask learns that, and
 * not what is wrong with the question. Fields that @skip and @include may leave out count as asked.
 */
export function refuseWithoutAccess(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  principal: Principal,
): void {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const definitions = schema.getRootType(operation.operation)?.getFields() ?? {}
  let refusal: unknown = null
  for (const name of rootNames(operation.selectionSet, fragments, new Set())) {
    const definition = definitions[name]
    if (definition === undefined) return // the schema itself is asked for
    try {
      requireAccess(principal, endpointOf(definition).access)
      return
    } catch (error) {
      refusal ??= error
    }
  }
  if (refusal !== null) throw refusal
}

function* rootNames(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  opened: Set<string>,
): Generator<string> {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) yield node.name.value
    else if (node.kind === Kind.INLINE_FRAGMENT) yield* rootNames(node.selectionSet, fragments, opened)
    else if (!opened.has(node.name.value)) {
      opened.add(node.name.value)
      const fragment = fragments.get(node.name.value)
      if (fragment) yield* rootNames(fragment.selectionSet, fragments, opened)
    }
  }
}
