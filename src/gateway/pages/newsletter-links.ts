import { ApiError } from '../../core/errors.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_HEADERS } from '../../platform/request/json-type.js'
import type { OpenSite } from '../http/pipeline.js'
import { isReadMethod } from '../http/read-method.js'
import { NEWSLETTER_PAGE_POLICY, type NewsletterPage, newsletterPage } from './newsletter-pages.js'
import { prefersHtml } from './prefers-html.js'

/** A link in a mail: what its page says, and what its button does. */
export interface MailLink {
  readonly path: string
  /** Before: mail scanners open links, so opening one changes nothing. */
  readonly asks: NewsletterPage
  readonly done: NewsletterPage
  /** In JSON, for one-click requests of mail programs. */
  readonly status: string
  /** For a link that is wrong, or of something that is over. */
  readonly advice: string
  /** Whether the token is one of ours and not too old. */
  isValid(token: string, now: Date): boolean
  /** Does what the link is for; false where it is wrong or over. */
  follow(use: {
    readonly token: string
    readonly now: Date
    readonly clientAddress: string
  }): Promise<boolean>
}

const HEADERS = [
  ...['cache-control', 'no-store'],
  ...['content-security-policy', NEWSLETTER_PAGE_POLICY],
  // The token is in the address.
  ...['referrer-policy', 'no-referrer'],
  ...['x-frame-options', 'DENY'],
  ...['x-robots-tag', 'noindex'],
]

/** Serves links of mails without a login: GET asks, POST does it at once (RFC 8058). The signed token is the right. */
export function newsletterLinks(links: readonly MailLink[]): OpenSite {
  const byPath = new Map(links.map((link) => [link.path, link]))
  return (exchange) => {
    const link = byPath.get(exchange.path)
    return link === undefined ? null : replyOf(link, exchange)
  }
}

async function replyOf(link: MailLink, exchange: Exchange): Promise<Reply> {
  const { method, now, clientAddress } = exchange
  const token = new URLSearchParams(exchange.search).get('token') ?? ''
  if (isReadMethod(method)) {
    return link.isValid(token, now) ? page(200, link.asks) : refusal(link, exchange)
  }
  if (method !== 'POST') throw new ApiError('method_not_allowed', { allow: ['GET', 'HEAD', 'POST'] })
  if (!(await link.follow({ token, now, clientAddress }))) return refusal(link, exchange)
  return prefersHtml(exchange) ? page(200, link.done) : json(link.status)
}

/** A page for people; programs get the error body of every other route. */
function refusal({ advice }: MailLink, exchange: Exchange): Reply {
  if (!prefersHtml(exchange)) {
    const details = [{ field: 'token', message: advice }]
    throw new ApiError('validation_error', { message: `token: ${advice}`, details })
  }
  return page(422, { title: 'This link does not work', text: advice, button: null })
}

function page(status: number, content: NewsletterPage): Reply {
  return {
    status,
    headers: ['content-type', 'text/html; charset=utf-8', ...HEADERS],
    body: newsletterPage(content),
  }
}

function json(status: string): Reply {
  return {
    status: 200,
    headers: [...JSON_HEADERS, ...HEADERS],
    body: JSON.stringify({ status }),
  }
}
