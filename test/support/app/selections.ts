import {
  type GraphQLCompositeType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql'

/** Levels of nested objects: deep enough for the envelope and everything in it. */
const MAX_LEVELS = 5

/** Every field of a type, with everything below it but its edges: '{ data { ticker … } meta { … } }'. Empty for a scalar. */
export function fullSelection(type: GraphQLOutputType): string {
  return selectionOf(type, [], false)
}

/** The same with the edges, each asked for one entry of everything. */
export function selectionWithEdges(type: GraphQLOutputType): string {
  return selectionOf(type, [], true)
}

function selectionOf(
  type: GraphQLOutputType,
  within: readonly GraphQLCompositeType[],
  withEdges: boolean,
): string {
  const named = getNamedType(type)
  if (isUnionType(named)) {
    const parts = named.getTypes().map((one) => `... on ${one.name} ${selectionOf(one, within, withEdges)}`)
    return `{ ${parts.join(' ')} }`
  }
  if (!isObjectType(named) && !isInterfaceType(named)) return ''
  const below = [...within, named]
  const fields = Object.values(named.getFields()).flatMap((field) => {
    const { edge } = field.extensions
    if (field.args.some(isRequiredArgument) || (edge && !withEdges)) return []
    const child = getNamedType(field.type)
    if (!isObjectType(child)) return [field.name]
    // Types that lead back to themselves, such as a rate to its inverse, are asked for once.
    if (below.includes(child) || below.length >= MAX_LEVELS) return []
    // Of the edges below an edge none: their types repeat those above.
    const selection = selectionOf(child, below, withEdges && !edge)
    const hasLimit = field.args.some(({ name }) => name === 'limit')
    return [`${field.name}${hasLimit ? '(limit: 2)' : ''} ${selection}`]
  })
  return fields.length === 0 ? '{ __typename }' : `{ ${fields.join(' ')} }`
}
