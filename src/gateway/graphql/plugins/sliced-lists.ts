import { EventLoopBudget } from '../../../schema-kit/event-loop-budget.js'
import { type GatewayPlugin, planIn } from '../operation-context.js'
import { COSTLY_VALUES } from '../plan/budget.js'

/** Lets a large operation complete its lists a slice at a time, so that other requests go on meanwhile. */
export function useSlicedLists(): GatewayPlugin {
  return {
    onExecute: ({ args, extendContext }) => {
      if ((planIn(args.contextValue).values ?? 0) > COSTLY_VALUES)
        extendContext({ budget: new EventLoopBudget() })
    },
  }
}
