import type { RequestListener } from 'node:http'
import { createServerAdapter } from '@whatwg-node/server'
import { ApiError } from '../core/errors.js'

type Fetch = (request: Request, context: object) => Response | Promise<Response>

/**
 * The listener over a fetch handler. What that throws beside its plugins is answered by `unexpected`: the adapter
 * itself would answer with the stack. A request whose Host header makes no URL is the caller's mistake.
 */
export function listenerOf(
  fetch: Fetch,
  unexpected: (error: ApiError, request: Request) => Response,
): RequestListener {
  const adapter = createServerAdapter(async (request, context: object) => {
    try {
      if (!URL.canParse(request.url)) {
        throw new ApiError('bad_request', { message: 'The Host header or the path is malformed.' })
      }
      return await fetch(request, context)
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError('internal_error', { cause: error })
      return unexpected(known, request)
    }
  })
  return adapter as RequestListener // it takes node's pair, and more
}
