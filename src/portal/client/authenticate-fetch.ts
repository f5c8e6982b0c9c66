import { config } from '../config.js'
import { describePageAccess } from './page-access.js'
import { followQuota, getQuota, noteQuota } from './quota.js'
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

/** Shows above an explorer what authenticates its requests. */
export function showAccess(): void {
  const place = document.querySelector<HTMLElement>('#access')
  if (place === null) return
  const show = () => {
    const access = describePageAccess(session(), getQuota())
    place.hidden = access === null
    if (access === null) return
    const link = document.createElement('a')
    link.href = '/account'
    link.textContent = access.link
    place.replaceChildren(`${access.text} `, link)
  }
  show()
  followQuota(show)
}
