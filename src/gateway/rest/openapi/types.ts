import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  valueFromASTUntyped,
} from 'graphql'
import { hintsOf } from '../../../schema-kit/endpoint.js'
import { MAX_INSTANT_LENGTH } from '../../../schema-kit/scalars.js'
import { enumTexts } from '../../../schema-kit/text-enum.js'
import { scalarForm } from '../../../schema-kit/values/scalar-forms.js'
import { INT32, INT64, lengthOfScalar, MAX_ANSWER_TEXT_LENGTH, MAX_LIST_ITEMS, TEXT } from './bounds.js'
import { fieldForm } from './field-forms.js'
import type { JsonSchema } from './json-schema.js'

const BUILT_IN: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', ...INT32 },
  Float: { type: 'number', format: 'double' },
  String: TEXT,
  ID: TEXT,
  Boolean: { type: 'boolean' },
  BigInt: INT64,
  JSON: { type: ['number', 'string', 'boolean'], maxLength: MAX_ANSWER_TEXT_LENGTH },
}

/** Converts a type to a schema. Named types become references; null is allowed if the type is nullable. */
export function toJsonSchema(type: GraphQLType): JsonSchema {
  const schema = schemaWithoutNull(type)
  if (isNonNullType(type)) return schema
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [schema.type, 'null'].flat() }
}

/** Converts a type to a schema without null, which a path or query string cannot express. */
export function schemaWithoutNull(type: GraphQLType): JsonSchema {
  const nullable = getNullableType(type)
  if (isListType(nullable))
    return { type: 'array', items: toJsonSchema(nullable.ofType), maxItems: MAX_LIST_ITEMS }
  return isScalarType(nullable) ? scalarSchema(nullable) : componentReference('schemas', nullable.toString())
}

export function componentReference(section: string, name: string): JsonSchema {
  return { $ref: `#/components/${section}/${name}` }
}

/** The schema of an argument with its bounds and default. It is nullable in a body only. */
export function argumentSchema(argument: GraphQLArgument, place: 'text' | 'body'): JsonSchema {
  const schema = place === 'text' ? schemaWithoutNull(argument.type) : toJsonSchema(argument.type)
  return { ...schema, ...boundsOf(argument, schema), ...defaultOf(argument) }
}

/** The schemas of all types in requests and responses, by name. */
export function typeSchemas(schema: GraphQLSchema): Readonly<Record<string, JsonSchema>> {
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()])
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isScalarType(type) && !roots.has(type),
  )
  const fields = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()))
  const forms = fields.flatMap(({ extensions: { answerForm } }) => answerForm ?? [])
  return Object.fromEntries([
    ...types.map((type) => [type.name, typeSchema(schema, type)] as const),
    ...forms.map((form) => [form.name, form.schema] as const),
  ])
}

function typeSchema(schema: GraphQLSchema, type: GraphQLNamedType): JsonSchema {
  if (isEnumType(type)) return enumSchema(type)
  if (isObjectType(type)) return objectSchema(type)
  if (isInputObjectType(type)) return inputSchema(type)
  if (!isAbstractType(type)) throw new Error(`Type ${type.name} cannot be converted to OpenAPI.`)
  const members = schema.getPossibleTypes(type).map((member) => componentReference('schemas', member.name))
  return { ...described(type.description), oneOf: members }
}

function scalarSchema(type: GraphQLScalarType): JsonSchema {
  const builtIn = BUILT_IN[type.name]
  if (builtIn) return builtIn
  const { jsonType, format } = scalarForm(type.name)
  const length = jsonType === 'string' ? { maxLength: lengthOfScalar(type.name) } : {}
  return { type: jsonType, ...(format === undefined ? {} : { format }), ...length }
}

function enumSchema(type: GraphQLEnumType): JsonSchema {
  const lines = type.getValues().map(({ value, description }) => `- \`${value}\`: ${description ?? value}`)
  return {
    type: 'string',
    description: [type.description ?? type.name, '', ...lines].join('\n'),
    enum: enumTexts(type),
  }
}

/** Every field is required, because SOFA selects all of them. */
function objectSchema(type: GraphQLObjectType): JsonSchema {
  const fields = Object.values(type.getFields())
  const properties = fields.map((field) => {
    const schema = valueSchema(field)
    const text = '$ref' in schema && isRepeated(field) ? null : field.description
    return [
      field.name,
      { ...schema, ...fieldForm(field), ...described(text), ...deprecated(field.deprecationReason) },
    ]
  })
  return {
    type: 'object',
    ...described(type.description),
    properties: Object.fromEntries(properties),
    required: fields.map((field) => field.name),
  }
}

function valueSchema({ type, extensions }: GraphQLField<unknown, unknown>): JsonSchema {
  const { answerForm } = extensions
  return answerForm === undefined ? toJsonSchema(type) : componentReference('schemas', answerForm.name)
}

/** Whether the description of the type begins with the description of the field. */
function isRepeated({ type, description }: GraphQLField<unknown, unknown>): boolean {
  return description != null && getNamedType(type).description?.startsWith(description) === true
}

function inputSchema(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields())
  const properties = fields.map((field) => [
    field.name,
    { ...toJsonSchema(field.type), ...defaultOf(field), ...described(field.description) },
  ])
  const required = fields.filter(isRequiredInputField).map((field) => field.name)
  return {
    type: 'object',
    ...described(type.description),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** For a list: bounds of the number of elements and of each element. */
function boundsOf(argument: GraphQLArgument, { items }: JsonSchema): JsonSchema {
  const { minimum, maximum } = hintsOf(argument)
  const isList = items !== undefined
  const texts = textBoundsOf(argument)
  return {
    ...(minimum === undefined ? {} : { [isList ? 'minItems' : 'minimum']: minimum }),
    ...(maximum === undefined ? {} : { [isList ? 'maxItems' : 'maximum']: maximum }),
    ...(isList ? { items: { ...(items as JsonSchema), ...texts } } : texts),
  }
}

function textBoundsOf(argument: GraphQLArgument): JsonSchema {
  const { maxLength } = hintsOf(argument)
  const isInstant = getNamedType(argument.type).name === 'DateTime'
  return {
    ...(isInstant ? { maxLength: MAX_INSTANT_LENGTH } : {}),
    ...(maxLength === undefined ? {} : { maxLength }),
  }
}

/** The default in the notation of clients, not the value that resolvers receive. */
function defaultOf({ defaultValue, type }: GraphQLArgument | GraphQLInputField): JsonSchema {
  if (defaultValue === undefined) return {}
  if (isEnumType(getNamedType(type))) return { default: defaultValue }
  const node = astFromValue(defaultValue, type)
  return node ? { default: valueFromASTUntyped(node) } : {}
}

function described(description: string | null | undefined): JsonSchema {
  return description ? { description } : {}
}

function deprecated(reason: string | null | undefined): JsonSchema {
  return reason ? { deprecated: true } : {}
}
