import type { Method } from '../../core/method.js'
import type { Mailbox } from '../../platform/mail/mail-address.js'
import type { MailTransport } from '../../platform/mail/mail-transport.js'
import { definePort } from '../../platform/request/ports.js'
import type { SignedLinks } from '../../platform/secrets/signed-links.js'

/** How mails are sent. */
export interface MailRoute {
  readonly from: Mailbox
  readonly perMinute: number
  newTransport(maxConnections: number): MailTransport
}

/** The dependencies of the newsletter. */
export interface Newsletter {
  readonly links: SignedLinks
  /** Base URL of links in mails, without a slash at the end. */
  readonly publicUrl: string
  /** Null without a configured mail server. */
  readonly route: MailRoute | null
}

export const newsletterPort = definePort<Newsletter>('newsletter')

/** Paths of the links in mails. */
export const UNSUBSCRIBE_PATH = '/newsletter/unsubscribe'
export const CONFIRM_PATH = '/newsletter/confirm'

/** How long a confirmation link works. */
export const CONFIRM_HOURS = 48

/** Limits of confirmation mails, because each may reach a person who did not request it. */
export const CONFIRMATIONS_PER_ACCOUNT = { limit: 3, windowSeconds: 86_400 } as const
export const CONFIRMATIONS_PER_ORIGIN = { limit: 20, windowSeconds: 86_400 } as const

/** The method of the moves in an issue. */
export const ISSUE_METHOD: Method = {
  summary: 'A move compares the consensus price of the last day of the week with that of the week before.',
  section: 'newsletter',
}

/** A table of an issue as text; the input of both renderings. */
export interface IssueSection {
  readonly key: 'changes' | 'prices' | 'series' | 'freshness'
  readonly title: string
  /** What the rows show, or why the table is empty. */
  readonly note: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly cells: readonly string[] }[]
}

/** The content of an issue, with `LINK_MARKER` in place of the recipient's link. */
export interface IssueContent {
  readonly issueId: string
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly sections: readonly IssueSection[]
  readonly isDevDataset: boolean
}

/** Placeholder of the recipient's link. It has letters only, so that HTML and text contain it unchanged. */
export const LINK_MARKER = 'UNSUBSCRIBELINKOFTHERECIPIENT'

/** Replaces the marker by a link, which must not need HTML escaping. */
export function withLink(text: string, link: string): string {
  return text.replaceAll(LINK_MARKER, link)
}

/** The progress of the mails of an issue. */
export interface DeliveryCounts {
  /** Number of all mails: the sum of the counts below. */
  readonly recipients: number
  readonly accepted: number
  readonly rejected: number
  readonly failed: number
  readonly unconfirmed: number
  readonly pending: number
}

export interface SendProgress extends DeliveryCounts {
  readonly issueId: string
  /** When the last mail was settled; null before that and for a dry run. */
  readonly sentAt: Date | null
  readonly isDryRun: boolean
}
