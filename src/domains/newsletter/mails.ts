import { composeMail } from '../../platform/mail/compose-mail.js'
import type { IssueRow } from './issues/issue-store.js'
import { wrap } from './issues/render-text.js'
import {
  CONFIRM_HOURS,
  CONFIRM_PATH,
  type MailRoute,
  type Newsletter,
  UNSUBSCRIBE_PATH,
  withLink,
} from './model.js'

interface Recipient {
  readonly accountId: string
  readonly email: string
}

/** The mail of an issue for one recipient, always the same except for its date. */
export function issueMail(
  { links, publicUrl }: Newsletter,
  { from }: Pick<MailRoute, 'from'>,
  issue: Pick<IssueRow, 'issueId' | 'subject' | 'html' | 'text' | 'generatedAt'>,
  { accountId, email }: Recipient,
  date: Date,
): Promise<Buffer> {
  const { issueId, subject, html, text, generatedAt } = issue
  const token = links.sign('newsletter-unsubscribe', { accountId, at: generatedAt })
  const link = `${publicUrl}${UNSUBSCRIBE_PATH}?token=${token}`
  const domain = domainOf(from.address)
  return composeMail({
    from,
    to: email,
    subject,
    html: withLink(html, link),
    text: withLink(text, link),
    messageId: `${issueId}.${links.opaqueName(`${issueId} ${accountId}`)}@${domain}`,
    date,
    headers: {
      // RFC 8058: unsubscribe with one click, without a page.
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'List-Id': `<newsletter.${domain}>`,
      'Auto-Submitted': 'auto-generated',
    },
  })
}

const REQUEST =
  'Somebody subscribed this address to the weekly newsletter of the market data gateway. To receive it, confirm:'
const IGNORE = `The link works for ${CONFIRM_HOURS} hours. If it was not you, do nothing: no newsletter is sent to an address that is not confirmed.`

/** The mail that asks the owner of an address to confirm the subscription. */
export function confirmMail(
  { links, publicUrl }: Newsletter,
  { from }: Pick<MailRoute, 'from'>,
  { accountId, email }: Recipient,
  requestedAt: Date,
): Promise<Buffer> {
  const link = `${publicUrl}${CONFIRM_PATH}?token=${links.sign('newsletter-confirm', { accountId, at: requestedAt })}`
  const name = links.opaqueName(`confirm ${accountId} ${requestedAt.toISOString()}`)
  return composeMail({
    from,
    to: email,
    subject: 'Confirm the newsletter',
    text: `${[...wrap(REQUEST), '', link, '', ...wrap(IGNORE)].join('\n')}\n`,
    html: null,
    messageId: `confirm.${name}@${domainOf(from.address)}`,
    date: requestedAt,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
