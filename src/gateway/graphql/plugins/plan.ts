import type { GraphQLSchema } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { type GatewayPlugin, operationIn } from '../operation-context.js'
import { assertOperationSize } from '../plan/budget.js'
import { planOperation } from '../plan/plan.js'

/** Plans the operation before it runs: access, arguments and price of each root field and edge. */
export function usePlan(schema: GraphQLSchema): GatewayPlugin {
  return {
    onContextBuilding: async ({ context, extendContext }) => {
      const { document } = operationIn(context)
      const { operationName, variables } = context.params
      const plan = await planOperation(schema, document, operationName, variables, context)
      if (plan === null)
        throw new ApiError('bad_request', {
          message: 'The variables do not match the operation; check their names and types.',
        })
      assertOperationSize(plan.values ?? 0)
      extendContext({ plan })
    },
  }
}
