import { ApiError, type ApiErrorOptions } from '../../core/errors.js'
import type { NewsletterSubscription } from '../../generated/prisma/client.js'
import type { Database } from '../../platform/database/database.js'
import { isMailAddress } from '../../platform/mail/mail-address.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { LinkPurpose, SignedLinks } from '../../platform/secrets/signed-links.js'
import { requireCaller } from '../../policy/decide.js'
import { throttled } from '../access/accounts/login-service.js'
import { audit, auditLink, withLinkedAccount, withOwnAccount } from '../access/service.js'
import { confirmMail } from './mails.js'
import {
  CONFIRM_HOURS,
  CONFIRMATIONS_PER_ACCOUNT,
  CONFIRMATIONS_PER_ORIGIN,
  type MailRoute,
  newsletterPort,
} from './model.js'
import {
  confirmRequest,
  endSubscription,
  findSubscription,
  noteConfirmSent,
  putRequest,
} from './subscription-store.js'

/** How long a caller waits for the mail server. */
const CONFIRM_MS = 20_000

/**
 * Requests the newsletter for the caller's account. Registration does not verify addresses, so the address first
 * gets a mail with a confirmation link, and nothing else before. A repeated request sends that mail again; a
 * subscribed account stays subscribed. 409 if the account has no address or the mail server rejects it; 429 after
 * too many mails; 503 if the mail server does not accept the mail.
 */
export async function subscribe(context: RequestContext): Promise<NewsletterSubscription> {
  const { accountId } = requireCaller(context.principal)
  const { database, ports } = context
  const known = await findSubscription(database.prisma, accountId)
  if (known !== null && isConfirmed(known)) return known
  const { route } = ports.get(newsletterPort)
  if (route === null) return requestConfirmation(context, null)
  return throttled(
    context,
    [
      [`newsletter:${accountId}`, CONFIRMATIONS_PER_ACCOUNT],
      [`newsletter-origin:${context.clientAddress}`, CONFIRMATIONS_PER_ORIGIN],
    ],
    () => requestConfirmation(context, route),
  )
}

async function requestConfirmation(
  context: RequestContext,
  route: MailRoute | null,
): Promise<NewsletterSubscription> {
  const { accountId } = requireCaller(context.principal)
  const { database, now } = context
  const { subscription, email } = await withOwnAccount(context, async (tx, account) => {
    const stored = await findSubscription(tx, accountId)
    if (stored !== null && isConfirmed(stored)) return { subscription: stored, email: null }
    const address = requireAddress(account.email, stored)
    const requested = await putRequest(tx, accountId, now)
    await audit(tx, context, { action: 'newsletter_requested' })
    return { subscription: requested, email: address }
  })
  // Already subscribed, or no mail server is configured.
  if (email === null || route === null) return subscription
  await sendConfirmation(route, { accountId, email }, context)
  await noteConfirmSent(database.prisma, accountId, { requestedAt: now, sentAt: now })
  return { ...subscription, confirmSentAt: now }
}

function requireAddress(
  email: string | null,
  known: Pick<NewsletterSubscription, 'endReason'> | null,
): string {
  if (email === null || !isMailAddress(email)) {
    throw new ApiError('conflict', {
      message:
        'The account has no e-mail address that can receive mail; subscribe with an account that has one.',
    })
  }
  if (known?.endReason === 'rejected') throw refusedAddress()
  return email
}

function refusedAddress(options: Pick<ApiErrorOptions, 'isCharged'> = {}): ApiError {
  return new ApiError('conflict', {
    ...options,
    message:
      'A mail server rejected the e-mail address of the account permanently, so no more mail is sent to it.',
  })
}

async function sendConfirmation(
  route: MailRoute,
  recipient: { readonly accountId: string; readonly email: string },
  { ports, now, log }: RequestContext,
): Promise<void> {
  const message = await confirmMail(ports.get(newsletterPort), route, recipient, now)
  const transport = route.newTransport(1)
  try {
    const envelope = { from: route.from.address, to: recipient.email, message }
    const outcome = await transport.send(envelope, CONFIRM_MS)
    if (outcome.kind === 'accepted' || outcome.kind === 'unconfirmed') return
    if (outcome.kind === 'refused' && outcome.stage === 'recipient' && outcome.isPermanent)
      throw refusedAddress({ isCharged: true })
    log.warn({ codes: outcome.codes }, 'the mail server did not accept a confirmation mail')
    throw new ApiError('service_unavailable', {
      message: 'The confirmation mail could not be sent; try again later.',
      isCharged: true,
    })
  } finally {
    transport.close()
  }
}

/** Ends the newsletter of the caller's account. Repeating it changes nothing. */
export async function unsubscribe(context: RequestContext): Promise<void> {
  await withOwnAccount(context, async (tx, { accountId }) => {
    const isEnded = await endSubscription(tx, accountId, { endedAt: context.now, endReason: 'unsubscribed' })
    if (isEnded) await audit(tx, context, { action: 'newsletter_ended' })
  })
}

/** A used link with its signature. */
export interface LinkUse {
  readonly token: string
  readonly now: Date
  /** Keyed hash of the address, for the audit. */
  readonly clientAddress: string
}

/** The actions of links in mails. Both return false for an invalid link and for an ended request. */
export interface NewsletterLinks {
  /** Whether the signature is valid and the link is not expired; reads no database. */
  isValid(purpose: LinkPurpose, use: Pick<LinkUse, 'token' | 'now'>): boolean
  /** Confirms a request. Repeating it changes nothing. */
  confirm(use: LinkUse): Promise<boolean>
  /** Ends the newsletter. Repeating it changes nothing. */
  unsubscribe(use: LinkUse): Promise<boolean>
}

export function createNewsletterLinks(database: Database, links: SignedLinks): NewsletterLinks {
  const read = (purpose: LinkPurpose, { token, now }: Pick<LinkUse, 'token' | 'now'>) => {
    const link = links.verify(purpose, token)
    const isOver = link !== null && purpose === 'newsletter-confirm' && isTooOld(link.at, now)
    return isOver ? null : link
  }
  return {
    isValid: (purpose, use) => read(purpose, use) !== null,
    confirm: async (use) => {
      const link = read('newsletter-confirm', use)
      if (link === null) return false
      const { accountId, at } = link
      const done = await withLinkedAccount(database, accountId, async (tx) => {
        const times = { requestedAt: at, confirmedAt: use.now }
        if (await confirmRequest(tx, accountId, times)) {
          await auditLink(tx, {
            action: 'newsletter_confirmed',
            at: use.now,
            origin: use.clientAddress,
            accountId,
          })
          return true
        }
        const known = await findSubscription(tx, accountId)
        return known !== null && isConfirmed(known) && known.requestedAt.getTime() === at.getTime()
      })
      return done ?? false
    },
    unsubscribe: async (use) => {
      const link = read('newsletter-unsubscribe', use)
      if (link === null) return false
      const { accountId } = link
      const end = { endedAt: use.now, endReason: 'unsubscribed' } as const
      await withLinkedAccount(database, accountId, async (tx) => {
        if (!(await endSubscription(tx, accountId, end))) return
        await auditLink(tx, { action: 'newsletter_ended', at: use.now, origin: use.clientAddress, accountId })
      })
      // A deleted account has no subscription either.
      return true
    },
  }
}

function isTooOld(requestedAt: Date, now: Date): boolean {
  return now.getTime() - requestedAt.getTime() > CONFIRM_HOURS * 3_600_000
}

/** Whether the newsletter is sent: the address is confirmed and the subscription has not ended. */
export function isConfirmed({
  confirmedAt,
  endedAt,
}: Pick<NewsletterSubscription, 'confirmedAt' | 'endedAt'>): boolean {
  return confirmedAt !== null && endedAt === null
}
