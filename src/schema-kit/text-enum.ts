import {
  type GraphQLEnumType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  isEnumType,
  Kind,
  type ValueNode,
} from 'graphql'

/** The text of each value: what resolvers see and REST writes; its name, unless it is of a `textEnum`. */
export function enumTexts(type: GraphQLEnumType): readonly string[] {
  return type.getValues().map(({ value }) => String(value))
}

/** Whether the values have texts beside their names. */
export function isTextEnum(type: GraphQLNamedInputType): type is GraphQLEnumType {
  return isEnumType(type) && type.getValues().some(({ name, value }) => name !== value)
}

/** Lets the enums with texts take these too, in literals and in variables. */
export function acceptEnumTexts(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()))
    if (isEnumType(type) && isTextEnum(type)) accept(type)
}

function accept(type: GraphQLEnumType): void {
  const texts = new Set<unknown>(enumTexts(type))
  const parseValue = type.parseValue.bind(type)
  const parseLiteral = type.parseLiteral.bind(type)
  type.parseValue = (given: unknown) => (texts.has(given) ? given : parseValue(given))
  type.parseLiteral = (node: ValueNode, variables) =>
    node.kind === Kind.STRING && texts.has(node.value) ? node.value : parseLiteral(node, variables)
}
