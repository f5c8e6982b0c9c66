import type { GraphQLSchema } from 'graphql'
import { withEnumNames } from '../documents/enum-names.js'
import type { GatewayPlugin } from '../operation-context.js'

/** Lets a document give an enum value by its text ("1d") and be executed by its name. */
export function useEnumNames(schema: GraphQLSchema): GatewayPlugin {
  return {
    onParse: ({ parseFn, setParseFn }) => {
      setParseFn((text: unknown) => withEnumNames(schema, parseFn(String(text))))
    },
  }
}
