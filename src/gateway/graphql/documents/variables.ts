import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { malformed } from '../../../core/errors.js'
import { Problems } from '../../../core/problems.js'
import { type ArgumentHints, hintsOf } from '../../../schema-kit/endpoint.js'
import { jsonReader } from '../../../schema-kit/values/leaf-values.js'
import { shownValue } from '../../../schema-kit/values/shown-value.js'
import { type GatewayPlugin, operationIn } from '../operation-context.js'
import { assertAccess } from '../plan/root-access.js'
import { DocumentError } from './document-error.js'

type Values = Readonly<Record<string, unknown>>

/** Throws a 400 that names every invalid variable, with the messages that REST has for parameters. */
export function checkVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: Pick<OperationDefinitionNode, 'variableDefinitions'>,
  values: Values,
): void {
  const problems = new Problems()
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const name = variable.name.value
    const type = typeFromAST(schema, node)
    if (!isInputType(type)) continue // validation reports it
    if (name.startsWith('__')) problems.add(name, 'must not begin with two underscores')
    else if (Object.hasOwn(values, name)) {
      const hints = () => hintsOfVariable(schema, document, name)
      addProblems(values[name], type, { field: name, hints, problems })
    } else if (isNonNullType(type) && defaultValue === undefined) problems.add(name, 'is required')
  }
  problems.refuse((...found) => {
    const error = malformed(...found)
    return new DocumentError([new GraphQLError(error.message, { originalError: error })])
  })
}

/** Where the problems of a value are added. */
interface Place {
  readonly field: string
  /** The hints of the argument that takes the value. */
  readonly hints: () => ArgumentHints
  readonly problems: Problems
}

/** The hints of the first argument that takes the variable. */
function hintsOfVariable(schema: GraphQLSchema, document: DocumentNode, name: string): ArgumentHints {
  const types = new TypeInfo(schema)
  let hints: ArgumentHints = {}
  const enter = ({ name: { value } }: VariableNode) => {
    const argument = types.getArgument()
    if (value !== name || !argument) return undefined
    hints = hintsOf(argument)
    return BREAK
  }
  visit(document, visitWithTypeInfo(types, { Variable: enter }))
  return hints
}

function addProblems(value: unknown, type: GraphQLInputType, place: Place): void {
  const { field, hints, problems } = place
  if (problems.isFull) return
  if (isNonNullType(type)) {
    if (value === null || value === undefined) problems.add(field, 'must not be null')
    else addProblems(value, type.ofType, place)
    return
  }
  if (value === null || value === undefined) return
  if (isListType(type)) {
    // GraphQL treats a single value as a list of one.
    if (!Array.isArray(value)) addProblems(value, type.ofType, place)
    else
      for (const [index, element] of value.entries())
        addProblems(element, type.ofType, { ...place, field: `${field}.${index}`, hints: () => ({}) })
  } else if (isInputObjectType(type)) addObjectProblems(value, type, place)
  // GraphQL accepts whole numbers as ID.
  else if (type.name !== 'ID' || isEnumType(type) || !Number.isInteger(value)) {
    const reading = jsonReader(type)(value)
    if ('value' in reading) return
    // Only the errors about numbers name bounds.
    const bounded = typeof value === 'number' ? jsonReader(type, 'names', hints())(value) : reading
    if ('problem' in bounded) problems.add(field, bounded.problem)
  }
}

/** What a value of a type with `@oneOf` must have. */
export const ONE_MEMBER = 'must have exactly one member, which must not be null'

function hasOneMember(given: ReadonlyMap<string, unknown>): boolean {
  return given.size === 1 && [...given.values()].every((value) => value !== null && value !== undefined)
}

function addObjectProblems(
  value: unknown,
  type: Extract<GraphQLInputType, { getFields: unknown }>,
  { field, problems }: Place,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.add(field, `must be an object; got ${shownValue(value)}`)
    return
  }
  const given = new Map<string, unknown>(Object.entries(value))
  if (isInputObjectType(type) && type.isOneOf && !hasOneMember(given)) problems.add(field, ONE_MEMBER)
  const addMember = (value: unknown, member: GraphQLInputField, path: string) =>
    addProblems(value, member.type, { field: path, hints: () => hintsOf(member), problems })
  for (const member of Object.values(type.getFields())) {
    const path = `${field}.${member.name}`
    if (given.has(member.name)) addMember(given.get(member.name), member, path)
    else if (isNonNullType(member.type) && member.defaultValue === undefined)
      problems.add(path, 'is required')
    given.delete(member.name)
  }
  for (const name of given.keys()) problems.add(`${field}.${name}`, 'is not a known member')
}

/** Rejects invalid variables. A caller who may run no part of the operation gets the error about access instead. */
export function useVariableChecks(schema: GraphQLSchema): GatewayPlugin {
  return {
    onContextBuilding: ({ context }) => {
      const { document, operation } = operationIn(context)
      try {
        checkVariables(schema, document, operation, context.params.variables ?? {})
      } catch (error) {
        assertAccess(schema, document, operation, context.principal)
        throw error
      }
    },
  }
}
