import type { Quota } from '../client/quota.js'
import type { Session } from '../client/session.js'
import { config } from '../config.js'
import { formatClockTime, formatQuantity } from './format.js'

/** What authenticates the requests of a page, and the text of the link to the account. */
export interface PageAccess {
  readonly text: string
  readonly link: string
}

/** Null for a development key, which needs no explanation. */
export function describePageAccess(known: Session | null, quota: Quota | null): PageAccess | null {
  if (known !== null) return { text: `Signed in as ${known.email}.`, link: 'Account' }
  if (config.isDemoKey) return { text: demoText(quota), link: 'Sign in for a quota of your own' }
  return config.pageKey === null
    ? { text: 'Requests need an account or an API key.', link: 'Sign in or create an account' }
    : null
}

function demoText(quota: Quota | null): string {
  if (quota === null) return 'Demo key.'
  return `Demo key: ${formatQuantity(quota.remaining, 'request')} left until ${formatClockTime(quota.resetsAt)}.`
}
