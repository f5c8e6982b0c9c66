import { ApiError } from '../../core/errors.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_HEADERS } from '../../platform/request/json-type.js'
import type { OpenSite } from '../http/pipeline.js'
import { isReadMethod } from '../http/read-method.js'
import { NEWSLETTER_PAGE_POLICY, type NewsletterPage, newsletterPage } from './newsletter-pages.js'
import { prefersHtml } from './prefers-html.js'

/** A link in a mail: the text of its page and the action of its button. */
export interface MailLink {
  readonly path: string
  /** The page before the action. Opening a link changes nothing, because mail scanners open links too. */
  readonly asks: NewsletterPage
  readonly done: NewsletterPage
  /** The status in the JSON response to one-click requests of mail programs. */
  readonly status: string
  /** The message for an invalid or outdated link. */
  readonly advice: string
  /** Whether the gateway signed the token and it has not expired. */
  isValid(token: string, now: Date): boolean
  /** Performs the action of the link; returns false if the link is invalid or outdated. */
  follow(use: {
    readonly token: string
    readonly now: Date
    readonly clientAddress: string
  }): Promise<boolean>
}

const HEADERS = [
  ...['cache-control', 'no-store'],
  ...['content-security-policy', NEWSLETTER_PAGE_POLICY],
  // The URL contains the token.
  ...['referrer-policy', 'no-referrer'],
  ...['x-frame-options', 'DENY'],
  ...['x-robots-tag', 'noindex'],
]

/** Serves links of mails: GET shows a page with a button, POST acts at once (RFC 8058). The signed token replaces a login. */
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

/** Rejects a link: with a page in browsers, with the usual error body for programs. */
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
