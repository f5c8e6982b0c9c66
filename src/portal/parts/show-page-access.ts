import { followQuota, getQuota } from '../client/quota.js'
import { session } from '../client/session.js'
import { describePageAccess } from './page-access.js'

/** Shows above an explorer what authenticates its requests. */
export function showPageAccess(): void {
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
