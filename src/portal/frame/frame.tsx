import { render } from 'preact'
import { followQuota, getQuota } from '../client/quota.js'
import { followSession, session } from '../client/session.js'
import { formatInstant, formatQuantity } from '../parts/format.js'
import { SearchBox } from '../search/search-box.js'

/** Fills the header and the footer, which the gateway writes into every page. */
export function startFrame(): void {
  const slot = document.querySelector('#search')
  if (slot !== null) render(<SearchBox />, slot)
  markLinks()
  showSession()
  followSession(showSession)
  followQuota(showQuota)
  addEventListener('popstate', () => {
    document.querySelector<HTMLElement>('#menu')?.hidePopover()
    markLinks()
  })
}

/** Marks the links to the page at hand. */
function markLinks(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.bar nav a, .bar .account, .foot a'))
    markCurrent(link)
}

function markCurrent(link: HTMLAnchorElement): void {
  const current = toCurrent(link.pathname, location.pathname)
  if (current === null) link.removeAttribute('aria-current')
  else link.setAttribute('aria-current', current)
}

/** Whether a link leads to the page or to the section of the page. */
function toCurrent(target: string, path: string): 'page' | 'true' | null {
  if (target === path) return 'page'
  const isDocument = target === '/docs/guides' && ['/docs', '/graphql'].includes(path)
  return isDocument || (target !== '/docs' && path.startsWith(`${target}/`)) ? 'true' : null
}

function showSession(): void {
  const link = document.querySelector('#account')
  if (link !== null) link.textContent = session() === null ? 'Sign in' : 'Account'
}

function showQuota(): void {
  const [place, quota] = [document.querySelector('#quota'), getQuota()]
  if (place === null || quota === null) return
  place.textContent = `${formatQuantity(quota.remaining, 'unit')} left until ${formatInstant(quota.resetsAt)}.`
}
