import MailComposer from 'nodemailer/lib/mail-composer'
import type { Mailbox } from './mail-address.js'

export interface Mail {
  readonly from: Mailbox
  /** An address that `isMailAddress` accepts. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Null for a mail with text only. */
  readonly html: string | null
  /** Local part and domain, without angle brackets. */
  readonly messageId: string
  readonly date: Date
  /** Further headers, by name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Writes a mail (RFC 5322, MIME). Headers are encoded and folded, so that no value can start another header. */
export function composeMail({ from, messageId, html, headers, ...mail }: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    ...mail,
    from,
    messageId: `<${messageId}>`,
    ...(html === null ? {} : { html }),
    headers: { ...headers },
    // The library must not read content from a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}
