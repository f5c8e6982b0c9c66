import type { GraphQLSchema } from 'graphql'
import { withEnumNames } from '../documents/enum-names.js'
import type { GatewayPlugin } from '../operation-context.js'

/** Lets a document contain the text of an enum value (`"1d"`) instead of its name. */
export function useEnumNames(schema: GraphQLSchema): GatewayPlugin {
  return {
    onParse: ({ parseFn, setParseFn }) => {
      setParseFn((text: unknown) => withEnumNames(schema, parseFn(String(text))))
    },
  }
}
