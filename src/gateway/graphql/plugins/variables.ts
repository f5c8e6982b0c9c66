import type { GraphQLSchema } from 'graphql'
import { checkVariables } from '../documents/variables.js'
import { type GatewayPlugin, operationIn } from '../operation-context.js'
import { assertAccess } from '../plan/root-access.js'

/** Refuses variables that do not fit, and before that who may run nothing of the operation. */
export function useVariableChecks(schema: GraphQLSchema): GatewayPlugin {
  return {
    onContextBuilding: ({ context }) => {
      const { document, operation } = operationIn(context)
      try {
        checkVariables(schema, operation, context.params.variables ?? {})
      } catch (error) {
        assertAccess(schema, document, operation, context.principal)
        throw error
      }
    },
  }
}
