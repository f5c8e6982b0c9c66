import type { ExecutionResult } from 'graphql'
import { type GatewayPlugin, planIn } from '../operation-context.js'
import { computeRefund, logFailures } from '../run/outcome.js'
import { mergeByEdge, refusedEdges } from '../run/refused-edges.js'

/** After a run: adds the errors of edges that the plan refused, logs failures and computes the refund. */
export function useOutcome(): GatewayPlugin {
  return {
    onExecute: ({ args, extendContext }) => ({
      onExecuteDone: ({ result, setResult }) => {
        const { log } = args.contextValue
        const plan = planIn(args.contextValue)
        // The gateway does not support incremental delivery, so the result is complete.
        const whole = result as ExecutionResult
        const errors = [...(whole.errors ?? []), ...refusedEdges(plan)]
        if (errors.length === 0) return
        logFailures(errors, log)
        extendContext({ refund: computeRefund(plan, whole, errors) })
        setResult({ ...whole, errors: mergeByEdge(errors) })
      },
    }),
  }
}
