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
  /** Without angle brackets: local part and domain. */
  readonly messageId: string
  readonly date: Date
  /** Further headers, by name. */
  readonly headers: Readonly<Record<string, string>>
}

/** The bytes of a mail (RFC 5322, MIME): headers are encoded and folded, so that no value can begin another header. */
export function composeMail({ from, messageId, html, headers, ...mail }: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    ...mail,
    from,
    messageId: `<${messageId}>`,
    ...(html === null ? {} : { html }),
    headers: { ...headers },
    // No content of a mail is read from a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}
