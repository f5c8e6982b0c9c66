import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { isTextEnum, valueOfText } from '../../../schema-kit/text-enum.js'
import type { GatewayPlugin } from '../operation-context.js'

/** Replaces the texts of enum values by their names: `"1d"` becomes `P1D`. Compiled execution understands names only. */
export function withEnumNames(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const types = new TypeInfo(schema)
  return visit(
    document,
    visitWithTypeInfo(types, {
      StringValue: ({ value: text, loc }) => {
        const type = getNamedType(types.getInputType())
        if (!isEnumType(type) || !isTextEnum(type)) return undefined
        const named = valueOfText(type, text)
        return named === undefined
          ? undefined
          : { kind: Kind.ENUM, value: named.name, ...(loc ? { loc } : {}) }
      },
    }),
  )
}

/** Lets a document contain the text of an enum value (`"1d"`) instead of its name. */
export function useEnumNames(schema: GraphQLSchema): GatewayPlugin {
  return {
    onParse: ({ parseFn, setParseFn }) => {
      setParseFn((text: unknown) => withEnumNames(schema, parseFn(String(text))))
    },
  }
}
