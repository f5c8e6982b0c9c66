import {
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  isEnumType,
} from 'graphql'
import { memoizeByObject } from '../core/memoize-by-object.js'

/** The texts of the values in resolvers and REST: their names, unless the enum is a `textEnum`. */
export function enumTexts(type: GraphQLEnumType): readonly string[] {
  return type.getValues().map(({ value }) => String(value))
}

/** Whether the values have texts that differ from their names. */
export function isTextEnum(type: GraphQLNamedInputType): type is GraphQLEnumType {
  return isEnumType(type) && type.getValues().some(({ name, value }) => name !== value)
}

/** The value whose text this is in upper or lower case; undefined without one. */
export function valueOfText(type: GraphQLEnumType, text: unknown): GraphQLEnumValue | undefined {
  return typeof text === 'string' ? valuesByText(type).get(text.toLowerCase()) : undefined
}

const valuesByText = memoizeByObject(
  (type: GraphQLEnumType) =>
    new Map(type.getValues().map((value) => [String(value.value).toLowerCase(), value])),
)

/** Makes text enums accept their texts in variables too. In documents `withEnumNames` replaces texts by names. */
export function acceptEnumTexts(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()))
    if (isEnumType(type) && isTextEnum(type)) acceptTexts(type)
}

function acceptTexts(type: GraphQLEnumType): void {
  const parseValue = type.parseValue.bind(type)
  type.parseValue = (given: unknown) => valueOfText(type, given)?.value ?? parseValue(given)
}
