import {
  type DocumentNode,
  type FieldNode,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
  stripIgnoredCharacters,
  typeFromAST,
} from 'graphql'
import { docstring, literal, pythonName, typeNameOf } from './python-text.js'
import { type Member, typedDict } from './python-types.js'

const SCALARS: Readonly<Record<string, string>> = {
  ID: 'str',
  String: 'str',
  Int: 'int',
  Float: 'float',
  Boolean: 'bool',
  BigInt: 'int',
  JSON: 'Union[str, float, bool]',
  JSONObject: 'Dict[str, Any]',
}

/** Modules with the types of the results and with a method for each operation. */
export function operationModules(
  schema: GraphQLSchema,
  document: DocumentNode,
): { readonly types: string; readonly operations: string } {
  const types = new ResultTypes()
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const methods = operations.map((operation) => methodOf(schema, operation, types))
  return { types: typesText(types), operations: operationsText(methods) }
}

function typesText({ texts }: ResultTypes): string {
  return `"""The types of the results of the published operations in GraphQL."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

${texts.join('\n')}`
}

function operationsText(methods: readonly string[]): string {
  return `"""The published operations of the gateway, which it has at /v1/operations."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Union

from . import operation_types as types
from ._answers import GraphQLAnswer, Operations
from ._values import Day, Instant, day, instant, variables_of


class PublishedOperations(Operations):
    """One method for each published operation. Its arguments are the variables of the operation."""

${methods.join('\n')}`
}

/** The TypedDicts of all selections. Equal selections of a type share one. */
class ResultTypes {
  readonly #names = new Map<string, string>()
  readonly #used = new Map<string, number>()
  readonly texts: string[] = []

  typeOf(type: GraphQLOutputType, selections: SelectionSetNode | undefined): string {
    if (!isNonNullType(type)) return `Optional[${this.#present(type, selections)}]`
    return this.#present(type.ofType, selections)
  }

  #present(type: GraphQLOutputType, selections: SelectionSetNode | undefined): string {
    if (isListType(type)) return `List[${this.typeOf(type.ofType, selections)}]`
    const named = getNamedType(type)
    if (isEnumType(named)) return enumText(named.getValues().map(({ name }) => name))
    if (!isObjectType(named) || selections === undefined) return SCALARS[named.name] ?? 'str'
    const fields = named.getFields()
    const members = selections.selections
      .filter((node): node is FieldNode => node.kind === Kind.FIELD)
      .map((node): Member => {
        const field = fields[node.name.value]
        if (field === undefined) throw new Error(`${named.name} has no field ${node.name.value}.`)
        const name = node.alias?.value ?? node.name.value
        return { name, type: this.typeOf(field.type, node.selectionSet), isRequired: true }
      })
    return this.add(named.name, named.description ?? named.name, members)
  }

  /** The name of a type with these members. */
  add(name: string, description: string, members: readonly Member[]): string {
    const key = JSON.stringify([name, members])
    const known = this.#names.get(key)
    if (known !== undefined) return `types.${known}`
    const count = (this.#used.get(name) ?? 0) + 1
    this.#used.set(name, count)
    const unique = count === 1 ? name : `${name}${count}`
    this.#names.set(key, unique)
    const own = members.map((member) => ({ ...member, type: member.type.replaceAll('types.', '') }))
    this.texts.push(typedDict(unique, description, own))
    return `types.${unique}`
  }
}

function enumText(names: readonly string[]): string {
  return `Literal[${names.map(literal).join(', ')}]`
}

function methodOf(schema: GraphQLSchema, operation: OperationDefinitionNode, types: ResultTypes): string {
  const name = operation.name?.value ?? ''
  const root = schema.getRootType(operation.operation)
  const [selection] = operation.selectionSet.selections
  if (root == null || selection?.kind !== Kind.FIELD) throw new Error(`${name} selects no field.`)
  const field = root.getFields()[selection.name.value]
  if (field === undefined) throw new Error(`${root.name} has no field ${selection.name.value}.`)
  const member = {
    name: field.name,
    type: types.typeOf(field.type, selection.selectionSet),
    isRequired: true,
  }
  const result = types.add(`${typeNameOf(name)}Result`, `The result of the operation ${name}.`, [member])
  const variables = (operation.variableDefinitions ?? []).map((node) => {
    const type = typeFromAST(schema, node.type as never) as GraphQLInputType // variables have input types
    return {
      name: node.variable.name.value,
      type,
      isRequired: isNonNullType(type) && node.defaultValue === undefined,
    }
  })
  const ordered = [
    ...variables.filter(({ isRequired }) => isRequired),
    ...variables.filter(({ isRequired }) => !isRequired),
  ]
  const parameters = ordered.map((variable) => {
    const type = variableType(variable.type)
    const text = `${pythonName(variable.name)}: `
    return variable.isRequired ? `${text}${type}` : `${text}Optional[${type}] = None`
  })
  const texts = [
    `The ${operation.operation} \`${name}\`.`,
    field.description ?? '',
    ...field.args
      .filter((argument) => variables.some((variable) => variable.name === argument.name))
      .map((argument) => `${pythonName(argument.name)}: ${argument.description ?? ''}`),
  ]
  const values = ordered.map((variable) => `${literal(variable.name)}: ${valueText(variable)}`)
  const head = ['self', ...(parameters.length > 0 ? ['*', ...parameters] : [])].join(', ')
  return `    def ${name}(${head}) -> GraphQLAnswer[${result}]:
${docstring(texts, '        ')}        return self.run(
            ${literal(stripIgnoredCharacters(print(operation)))},
            variables_of({${values.join(', ')}}),
        )
`
}

function variableType(type: GraphQLType): string {
  const value = getNullableType(type)
  if (isListType(value)) return `Sequence[${variableType(value.ofType)}]`
  const named = getNamedType(value)
  if (isEnumType(named)) return enumText(named.getValues().map(({ name }) => name))
  if (isInputObjectType(named)) return 'Mapping[str, Any]'
  if (named.name === 'DateTime') return 'Instant'
  return named.name === 'Date' ? 'Day' : (SCALARS[named.name] ?? 'str')
}

function valueText({ name, type }: { readonly name: string; readonly type: GraphQLType }): string {
  const form = variableType(type)
  if (form === 'Day') return `day(${pythonName(name)})`
  return form === 'Instant' ? `instant(${pythonName(name)})` : pythonName(name)
}
