import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { type AccessRule, requireAccess } from '../../../policy/decide.js'
import type { Principal } from '../../../policy/principal.js'
import { endpointOf } from '../../../schema-kit/endpoint.js'

/**
 * Throws 401 or 403 where the caller may run no root field of the operation: as in REST, who may not ask learns that, and
 * not what is wrong with the question. Fields that @skip and @include may leave out count as asked.
 */
export function assertAccess(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  principal: Principal,
): void {
  let refusal: unknown = null
  for (const { access } of rootsOf(schema, document, operation)) {
    if (access === null) return // the schema itself is asked for
    try {
      requireAccess(principal, access)
      return
    } catch (error) {
      refusal ??= error
    }
  }
  if (refusal !== null) throw refusal
}

/** Whether everybody may run each root field of the operation. */
export function asksOpenOnly(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  introspection: 'public' | 'private',
): boolean {
  return [...rootsOf(schema, document, operation)].every(
    ({ name, access }) => access === 'open' || (access === null && isOpenMeta(name, introspection)),
  )
}

function isOpenMeta(name: string, introspection: 'public' | 'private'): boolean {
  return name === '__typename' || introspection === 'public'
}

interface RootField {
  readonly name: string
  /** Null: it is of the schema itself. */
  readonly access: AccessRule | null
}

function* rootsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Generator<RootField> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const definitions = schema.getRootType(operation.operation)?.getFields() ?? {}
  for (const name of rootNames(operation.selectionSet, fragments, new Set())) {
    const definition = definitions[name]
    yield { name, access: definition === undefined ? null : endpointOf(definition).access }
  }
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
