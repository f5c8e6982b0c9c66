import { config } from '../config.js'
import { noteQuota } from './quota.js'
import { credentials, session } from './session.js'

/** The explorers of others call the window's `fetch`, and one of them has no hook for its requests. */
export function authenticateFetch(isAuthenticated: (request: Request) => boolean): void {
  const send = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (new URL(request.url).origin !== location.origin) return send(request)
    if (isAuthenticated(request)) authenticate(request.headers)
    const response = await send(request)
    noteQuota(response)
    return response
  }
}

/** Adds the credentials of the page, unless the reader has filled in others. */
function authenticate(headers: Headers): void {
  const key = headers.get('x-api-key')
  const hasOwn = headers.has('authorization') || (key && key !== config.pageKey)
  if (hasOwn) return
  headers.delete('x-api-key')
  for (const [name, value] of Object.entries(credentials(session()) ?? {})) headers.set(name, value)
}
