import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/time.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { openDoor } from '../platform/door-context.js'
import type { Logger } from '../platform/logger.js'
import { ANONYMOUS } from '../policy/principal.js'

/** A caller's own id is kept when it is harmless to log and to send back. */
const HARMLESS_ID = /^[\w.-]{8,64}$/

/** First of all plugins: gives the request its id, its instant and its log, and puts plugins' headers on the answer. */
export function useRequestId(options: { readonly clock: Clock; readonly log: Logger }): DoorPlugin {
  return {
    onRequest({ request, serverContext }) {
      const requestId = requestIdOf(request.headers.get('x-request-id'))
      const door = openDoor(options.log, {
        requestId,
        now: options.clock.now(),
        startedAt: performance.now(),
        principal: ANONYMOUS,
        origin: '',
      })
      door.replyHeaders['x-request-id'] = requestId
      Object.assign(serverContext, door)
    },
    onResponse({ response, serverContext }) {
      const { replyHeaders } = serverContext
      for (const name in replyHeaders) response.headers.set(name, String(replyHeaders[name]))
    },
  }
}

/** The caller's own id where it is harmless, else a new one. */
export function requestIdOf(given: string | null | undefined): string {
  return given && HARMLESS_ID.test(given) ? given : randomUUID()
}
