import { notFound } from '../core/errors.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { Refuse } from '../platform/door-context.js'
import { isGuarded } from './paths.js'

/** Last of the plugins on requests: what nothing else answers is a 404 in the body of the contract. */
export function useUnknownRoute(options: { readonly refuse: Refuse }): DoorPlugin {
  return {
    onRequest({ request, url, serverContext, endResponse }) {
      if (isGuarded(url.pathname) || request.method === 'OPTIONS') return
      const error = notFound(`Nothing is at ${url.pathname.slice(0, 100)}; GET / lists what there is.`)
      endResponse(options.refuse(error, request, serverContext))
    },
  }
}
