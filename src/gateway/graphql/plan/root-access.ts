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
 * Throws 401 or 403 if the caller may run no root field of the operation. As in REST, a caller without access gets this
 * error and not one about the arguments. Fields with @skip or @include count as selected.
 */
export function assertAccess(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  principal: Principal,
): void {
  let refusal: unknown = null
  for (const { access } of rootsOf(schema, document, operation)) {
    if (access === null) return // introspection
    try {
      requireAccess(principal, access)
      return
    } catch (error) {
      refusal ??= error
    }
  }
  if (refusal !== null) throw refusal
}

/** Whether anyone may run each root field of the operation. */
export function needsOpenFieldsOnly(
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
  /** Null for an introspection field. */
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
