import {
  type ASTNode,
  type ASTVisitor,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  Kind,
  print,
  type ValidationContext,
  ValuesOfCorrectTypeRule,
  valueFromASTUntyped,
} from 'graphql'
import { type ArgumentHints, hintsOf } from '../../../schema-kit/endpoint.js'
import { jsonReader } from '../../../schema-kit/values/leaf-values.js'
import { shortText } from '../../../schema-kit/values/shown-value.js'
import { ONE_MEMBER } from './variables.js'

/** graphql's rule for literals, with the error messages of REST and variables. */
export function valuesOfCorrectType(context: ValidationContext): ASTVisitor {
  // Errors of scalars have no node.
  let current: ASTNode | null = null
  const reportError = (error: GraphQLError): void => {
    const node = error.nodes?.[0] ?? current
    const argument = context.getArgument() ?? null
    const problem = node && problemOf(node, context.getInputType() ?? null, argument ? hintsOf(argument) : {})
    const message = problem === null ? error.message : `${argument?.name ?? 'value'}: ${problem}`
    context.reportError(new GraphQLError(message, { nodes: node }))
  }
  const reworded: ValidationContext = Object.create(context, { reportError: { value: reportError } })
  const visitor = Object.entries(ValuesOfCorrectTypeRule(reworded)).map(([kind, enter]) => {
    if (typeof enter !== 'function') return [kind, enter]
    const noted = (node: ASTNode, ...place: unknown[]) => {
      current = node
      return enter(node, ...place)
    }
    return [kind, noted]
  })
  return Object.fromEntries(visitor)
}

/** Returns null to keep graphql's message, for missing or unknown members of an input object. */
function problemOf(node: ASTNode, type: GraphQLInputType | null, hints: ArgumentHints): string | null {
  if (node.kind === Kind.NULL) return 'must not be null'
  const leaf = type && getNamedType(type)
  if (isInputObjectType(leaf) && leaf.isOneOf && node.kind === Kind.OBJECT) return ONE_MEMBER
  if (!isLeafType(leaf)) return null
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
    case Kind.BOOLEAN:
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.LIST:
    case Kind.OBJECT:
      return quotesProblem(node, leaf) ?? leafProblem(node, leaf, hints)
    default:
      return null
  }
}

function quotesProblem(node: ASTNode, leaf: GraphQLLeafType): string | null {
  if (node.kind === Kind.ENUM && !isEnumType(leaf)) return `must be written in quotes: "${node.value}"`
  if (node.kind === Kind.STRING && isEnumType(leaf) && leaf.getValue(node.value))
    return `must be written without quotes: ${node.value}`
  return null
}

function leafProblem(
  node: Parameters<typeof valueFromASTUntyped>[0],
  leaf: GraphQLLeafType,
  hints: ArgumentHints,
): string {
  const sent = node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : undefined
  const reading = jsonReader(leaf, 'names', hints)(valueFromASTUntyped(node), sent)
  if ('problem' in reading) return reading.problem
  return `does not fit ${leaf.name}; got ${shortText(print(node))}`
}
