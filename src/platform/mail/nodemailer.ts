import type Composer from 'nodemailer/lib/mail-composer'
import type Connection from 'nodemailer/lib/smtp-connection'
import * as bundled from '../../generated/nodemailer/nodemailer.js'

// What the gateway uses of nodemailer, made by scripts/bundled-modules.mjs. The module has no types of its own.
const library = bundled as unknown as {
  readonly MailComposer: typeof Composer
  readonly SMTPConnection: typeof Connection
}

export const { MailComposer, SMTPConnection } = library
export type SMTPConnection = Connection
