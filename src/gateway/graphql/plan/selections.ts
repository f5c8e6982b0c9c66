import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type SelectionSetNode,
} from 'graphql'
import type { MergedField } from '../../../schema-kit/operation-plan.js'

/** The schema, fragments and variables on which the fields of selections depend. */
export interface SelectionScope {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Readonly<Record<string, unknown>>
}

export function selectionsOf(nodes: MergedField): readonly SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
}

/** The object types that a value of the type can have; none for a scalar or an enum. */
export function objectTypesOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type]
  return isAbstractType(type) ? schema.getPossibleTypes(type) : []
}

/**
 * Merges the fields of selections on an object of the type by response key: a field that is selected twice is executed and
 * priced once.
 */
export function fieldsByKey(
  selections: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  scope: SelectionScope,
): ReadonlyMap<string, MergedField> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const opened = new Set<string>()
  for (const selection of selections) {
    for (const node of fieldsOf(selection, type, scope, opened)) {
      const key = (node.alias ?? node.name).value
      const same = fields.get(key)
      if (same) same.push(node)
      else fields.set(key, [node])
    }
  }
  return fields
}

/**
 * Fields of a selection set and its fragments, without those that @skip and @include exclude. A fragment is expanded once
 * among selections that merge: repeating it adds nothing, and nested spreads would grow exponentially.
 */
function* fieldsOf(
  selections: SelectionSetNode,
  type: GraphQLObjectType,
  scope: SelectionScope,
  opened: Set<string>,
): Generator<FieldNode> {
  for (const node of selections.selections) {
    if (isExcluded(node, scope)) continue
    if (node.kind === Kind.FIELD) yield node
    else if (node.kind === Kind.INLINE_FRAGMENT) {
      if (appliesTo(node.typeCondition, type, scope)) yield* fieldsOf(node.selectionSet, type, scope, opened)
    } else if (!opened.has(node.name.value)) {
      opened.add(node.name.value)
      const fragment = scope.fragments.get(node.name.value)
      if (fragment && appliesTo(fragment.typeCondition, type, scope))
        yield* fieldsOf(fragment.selectionSet, type, scope, opened)
    }
  }
}

function appliesTo(
  condition: NamedTypeNode | undefined,
  type: GraphQLObjectType,
  { schema }: SelectionScope,
): boolean {
  if (condition === undefined || condition.name.value === type.name) return true
  const named = schema.getType(condition.name.value)
  return isAbstractType(named) && schema.isSubType(named, type)
}

function isExcluded(node: SelectionSetNode['selections'][number], { variables }: SelectionScope): boolean {
  if (node.directives === undefined || node.directives.length === 0) return false
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true
  return skip || getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false
}
