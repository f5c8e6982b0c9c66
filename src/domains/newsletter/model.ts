import { METHODOLOGY_TEXT } from '../../core/consensus/consensus.js'
import type { Mailbox } from '../../platform/mail/mail-address.js'
import type { SmtpSession } from '../../platform/mail/smtp-session.js'
import { definePort } from '../../platform/request/ports.js'
import type { SignedLinks } from '../../platform/secrets/signed-links.js'

/** How mails leave; a session is for one sender at a time. */
export interface MailRoute {
  readonly from: Mailbox
  readonly perMinute: number
  newSession(): SmtpSession
}

/** What the newsletter works with. */
export interface Newsletter {
  readonly links: SignedLinks
  /** Where links in mails lead, without a slash at the end. */
  readonly publicUrl: string
  /** Null: no mail server is configured. */
  readonly route: MailRoute | null
}

export const newsletterPort = definePort<Newsletter>('newsletter')

/** Paths of the links in mails. */
export const UNSUBSCRIBE_PATH = '/newsletter/unsubscribe'
export const CONFIRM_PATH = '/newsletter/confirm'

/** How long the link that confirms a subscription works. */
export const CONFIRM_HOURS = 48

/** Mails that ask an address for its confirmation: each may reach somebody who did not ask for it. */
export const CONFIRMATIONS_PER_ACCOUNT = { limit: 3, windowSeconds: 86_400 } as const
export const CONFIRMATIONS_PER_ORIGIN = { limit: 20, windowSeconds: 86_400 } as const

export const ISSUE_METHODOLOGY =
  'A move compares the consensus price of the last day of the week with that of the last day of the week before; rates, ' +
  `values of central banks and changes of analyses are shown as they are stored. ${METHODOLOGY_TEXT}`

/** A table of an issue, as text: what both renderings are made of. */
export interface IssueSection {
  readonly key: 'changes' | 'prices' | 'series' | 'freshness'
  readonly title: string
  /** What the rows are, or why there are none. */
  readonly note: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly cells: readonly string[] }[]
}

/** What an issue says. The link of the recipient is `LINK_MARKER` in it. */
export interface IssueContent {
  readonly issueId: string
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly sections: readonly IssueSection[]
  readonly isDevDataset: boolean
}

/** In place of the recipient's own link until a mail is made. Letters only, so that it is the same in HTML and in text. */
export const LINK_MARKER = 'UNSUBSCRIBELINKOFTHERECIPIENT'

/** The text with a link in place of the marker; the link must have no character that HTML would escape. */
export function withLink(text: string, link: string): string {
  return text.replaceAll(LINK_MARKER, link)
}

/** How far the mails of an issue are. */
export interface DeliveryCounts {
  /** Mails that there are to be: those below together. */
  readonly recipients: number
  readonly accepted: number
  readonly rejected: number
  readonly failed: number
  readonly unconfirmed: number
  readonly pending: number
}

export interface SendProgress extends DeliveryCounts {
  readonly issueId: string
  /** When the last mail was settled; null: not yet, or a dry run. */
  readonly sentAt: Date | null
  readonly isDryRun: boolean
}
