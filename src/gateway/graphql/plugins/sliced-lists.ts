import { EventLoopBudget } from '../../../schema-kit/event-loop-budget.js'
import { COSTLY_VALUES } from '../../http/limits/costly-operations.js'
import { type GatewayPlugin, planIn } from '../operation-context.js'

/** Gives a large operation an event loop budget, so that it completes its lists in slices between other requests. */
export function useSlicedLists(): GatewayPlugin {
  return {
    onExecute: ({ args, extendContext }) => {
      if ((planIn(args.contextValue).values ?? 0) > COSTLY_VALUES)
        extendContext({ budget: new EventLoopBudget() })
    },
  }
}
