import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { ApiError, type FieldProblem } from '../../core/errors.js'
import { jsonReader } from '../values/leaf-values.js'
import { shownValue } from '../values/shown-value.js'
import { DocumentError } from './document-error.js'

/** More tell the client nothing new. */
const MAX_PROBLEMS = 20

type Values = Readonly<Record<string, unknown>>

/** Throws a 400 that names every variable that does not fit, in the words that REST has for its parameters. */
export function checkVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: Pick<OperationDefinitionNode, 'variableDefinitions'>,
  values: Values,
): void {
  const problems: FieldProblem[] = []
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const name = variable.name.value
    const type = typeFromAST(schema, node)
    if (!isInputType(type)) continue // validation has refused it
    if (name.startsWith('__')) problems.push({ field: name, message: 'must not begin with two underscores' })
    else if (Object.hasOwn(values, name)) addProblems(values[name], type, name, problems)
    else if (isNonNullType(type) && defaultValue === undefined)
      problems.push({ field: name, message: 'is required' })
  }
  const [first] = problems
  if (first === undefined) return
  const error = new ApiError('bad_request', {
    message: `${first.field}: ${first.message}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`,
    details: problems,
  })
  throw new DocumentError([new GraphQLError(error.message, { originalError: error })])
}

function addProblems(value: unknown, type: GraphQLInputType, field: string, problems: FieldProblem[]): void {
  if (problems.length >= MAX_PROBLEMS) return
  if (isNonNullType(type)) {
    if (value === null || value === undefined) problems.push({ field, message: 'must not be null' })
    else addProblems(value, type.ofType, field, problems)
    return
  }
  if (value === null || value === undefined) return
  if (isListType(type)) {
    // A value in place of a list is a list of one.
    if (!Array.isArray(value)) addProblems(value, type.ofType, field, problems)
    else
      for (const [index, element] of value.entries())
        addProblems(element, type.ofType, `${field}.${index}`, problems)
  } else if (isInputObjectType(type)) addObjectProblems(value, type, field, problems)
  // An identifier may be a whole number in GraphQL.
  else if (type.name !== 'ID' || isEnumType(type) || !Number.isInteger(value)) {
    const reading = jsonReader(type)(value)
    if ('problem' in reading) problems.push({ field, message: reading.problem })
  }
}

function addObjectProblems(
  value: unknown,
  type: Extract<GraphQLInputType, { getFields: unknown }>,
  field: string,
  problems: FieldProblem[],
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push({ field, message: `must be an object; got ${shownValue(value)}` })
    return
  }
  const given = new Map<string, unknown>(Object.entries(value))
  for (const member of Object.values(type.getFields())) {
    const path = `${field}.${member.name}`
    if (given.has(member.name)) addProblems(given.get(member.name), member.type, path, problems)
    else if (isNonNullType(member.type) && member.defaultValue === undefined)
      problems.push({ field: path, message: 'is required' })
    given.delete(member.name)
  }
  for (const name of given.keys())
    problems.push({ field: `${field}.${name}`, message: 'is not a known member' })
}
