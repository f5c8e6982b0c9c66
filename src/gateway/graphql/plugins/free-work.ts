import type { GatewayPlugin, IsAnonymous } from '../operation-context.js'
import type { FreeWork } from '../run/free-work.js'

/** Counts the time of reading documents that cost nothing: all of callers without a key, and invalid ones. */
export function useFreeWork(work: FreeWork, isAnonymous: IsAnonymous): GatewayPlugin {
  return {
    onParse: ({ context }) => {
      const end = isAnonymous(context) ? work.begin(context) : work.beginOwn(context)
      return ({ result }) => {
        if (isAnonymous(context) || result instanceof Error) end()
      }
    },
    onValidate: ({ context }) => {
      const end = isAnonymous(context) ? work.begin(context) : work.beginOwn(context)
      return ({ valid }) => {
        if (isAnonymous(context) || !valid) end()
      }
    },
  }
}
