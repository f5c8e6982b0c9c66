import type { GraphQLSchema } from 'graphql'
import { checkVariables } from '../documents/variables.js'
import { type GatewayPlugin, operationIn } from '../operation-context.js'
import { assertAccess } from '../plan/root-access.js'

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
