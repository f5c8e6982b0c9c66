import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail that the server has taken. */
export interface ReceivedMail {
  readonly from: string
  readonly to: string
  /** Headers by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>
  /** As it came. */
  readonly raw: string
}

/** How it answers in place of taking everything. */
export interface MailRules {
  /** Before a recipient is answered; throw `reply` to refuse it. */
  readonly onRecipient?: (address: string, asked: number) => void | Promise<void>
  /** After the end of a message was read and before it is answered: the server has taken it by then, unless this throws. */
  readonly onMail?: (mail: ReceivedMail, taken: number) => void | Promise<void>
  readonly options?: SMTPServerOptions
}

/** A real SMTP server on this machine. */
export interface MailServer {
  readonly port: number
  readonly url: string
  /** Mails in the order of their ends, those too whose answer nobody waited for. */
  readonly mails: readonly ReceivedMail[]
  /** Most connections that were open at once. */
  readonly mostConnections: () => number
  close(): Promise<void>
}

/** An answer of the server with this code. */
export function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

export async function startMailServer(rules: MailRules = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  let asked = 0
  let connections = 0
  let most = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onConnect: (_session, done) => {
      connections += 1
      most = Math.max(most, connections)
      done()
    },
    onClose: () => {
      connections -= 1
    },
    onRcptTo: ({ address }, _session, done) => {
      asked += 1
      Promise.resolve()
        .then(() => rules.onRecipient?.(address, asked))
        .then(() => done(), done)
    },
    onData: (stream, { envelope }, done) => {
      const take = async () => {
        const raw = await text(stream)
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const mail = { from, to: envelope.rcptTo[0]?.address ?? '', headers: headersOf(raw), raw }
        mails.push(mail)
        try {
          await rules.onMail?.(mail, mails.length)
        } catch (error) {
          mails.splice(mails.indexOf(mail), 1)
          throw error
        }
      }
      // A connection that broke within the message has no message.
      take().then(
        () => done(),
        (error: Error) => done(error),
      )
    },
    ...rules.options,
  })
  server.on('error', () => {
    // Clients that are killed reset their connections.
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo // it listens on a port
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails,
    mostConnections: () => most,
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  }
}

function headersOf(raw: string): ReadonlyMap<string, string> {
  const [head = ''] = raw.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

/** The links of a mail's body, which is quoted-printable. */
export function linksIn({ raw }: ReceivedMail): readonly string[] {
  const body = raw
    .slice(raw.indexOf('\r\n\r\n'))
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return [...new Set(body.match(/https?:\/\/[^\s"<>]+/g) ?? [])]
}
