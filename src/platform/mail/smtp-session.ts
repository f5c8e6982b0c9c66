import { Readable } from 'node:stream'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpServer } from './smtp-url.js'

export interface MailEnvelope {
  readonly from: string
  readonly to: string
  readonly message: Buffer
}

/**
 * The outcome. `codes` are the server's reply codes, e.g. 550 5.1.1, or the kind of failure. The server's text is omitted,
 * because it may contain addresses.
 * - accepted: the server has accepted the mail.
 * - refused: the server has refused it at `stage`; the class of the code decides `isPermanent`.
 * - unsent: the connection failed before the end of the message was sent.
 * - unconfirmed: the end of the message was sent, but no reply arrived. The server may have accepted the mail.
 */
export type SendOutcome =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'refused'
      readonly stage: 'sender' | 'recipient' | 'message'
      readonly isPermanent: boolean
      readonly codes: string
    }
  | { readonly kind: 'unsent' | 'unconfirmed'; readonly codes: string }

/** A connection to a mail server, which opens with the first mail. It sends one mail at a time. */
export interface SmtpSession {
  /**
   * Sends a mail. Before the end of the message it awaits `commit`: until `commit` resolves, the server has no complete
   * message (RFC 5321 §4.1.1.4), and if it throws, the server never gets one. Never throws. Takes at most `withinMs`, by
   * default five minutes.
   */
  send(envelope: MailEnvelope, commit: () => Promise<void>, withinMs?: number): Promise<SendOutcome>
  /** Connects and logs in. Returns the server's reply codes or the kind of failure; null if it accepts mails. */
  check(withinMs: number): Promise<string | null>
  close(): void
}

/** Time limit of connecting, including DNS, greeting and TLS. */
const CONNECT_MS = 15_000
/** Longest wait for a reply. It is shorter than RFC 5321 §4.5.3.2 asks for; a late reply never makes the gateway send twice. */
const SILENCE_MS = 120_000
/** Time limit of one mail, including connecting. */
export const MAX_EXCHANGE_MS = 300_000
/** Maximum bytes of one reply, which has codes and a line of text. */
const MAX_REPLY_BYTES = 64 * 1_024
/** Maximum number of mails per connection. Some servers close it after a hundred. */
const MAX_MAILS = 100

export function createSmtpSession(server: SmtpServer): SmtpSession {
  let open: Open | null = null
  const connected = async (deadline: AbortSignal): Promise<Open> => {
    if (open !== null && !open.connection.destroyed && open.mails < MAX_MAILS) return open
    open?.connection.quit()
    open = { connection: await connect(server, deadline), mails: 0 }
    return open
  }
  return {
    send: async (envelope, commit, withinMs = MAX_EXCHANGE_MS) => {
      const deadline = AbortSignal.timeout(withinMs)
      try {
        const used = await connected(deadline)
        used.mails += 1
        const outcome = await exchange(used.connection, { ...envelope, commit, deadline })
        // After a failed exchange the state of the connection is unknown.
        if (outcome.kind !== 'accepted') used.connection.close()
        return outcome
      } catch (error) {
        return { kind: 'unsent', codes: codesOf(error) }
      }
    },
    check: async (withinMs) => {
      try {
        await connected(AbortSignal.timeout(withinMs))
        return null
      } catch (error) {
        return codesOf(error)
      }
    },
    close: () => {
      open?.connection.close()
      open = null
    },
  }
}

interface Open {
  readonly connection: SMTPConnection
  mails: number
}

async function connect(
  { host, port, encryption, credentials }: SmtpServer,
  deadline: AbortSignal,
): Promise<SMTPConnection> {
  const connection = new SMTPConnection({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxResponseSize: MAX_REPLY_BYTES,
    // The library's log would contain addresses and replies.
    logger: false,
  })
  // The running exchange gets the same error.
  connection.on('error', () => {})
  try {
    await new Promise<void>((resolve, reject) => {
      deadline.addEventListener('abort', () => reject(new TimedOut()), { once: true })
      connection.once('error', reject)
      const greeted = (error?: Error | null) => {
        if (error) reject(error)
        else if (credentials === null) resolve()
        else connection.login({ ...credentials }, (refusal) => (refusal ? reject(refusal) : resolve()))
      }
      connection.connect(greeted)
    })
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

class TimedOut extends Error {
  override readonly name = 'TimedOut'
  readonly code = 'ETIMEDOUT'
}

interface SmtpExchange extends MailEnvelope {
  readonly commit: () => Promise<void>
  readonly deadline: AbortSignal
}

function exchange(
  connection: SMTPConnection,
  { from, to, message, commit, deadline }: SmtpExchange,
): Promise<SendOutcome> {
  let isCommitted = false
  async function* body() {
    yield message
    await commit()
    isCommitted = true
  }
  return new Promise((resolve) => {
    deadline.addEventListener('abort', () => resolve(outcomeOf(new TimedOut(), isCommitted)), { once: true })
    const envelope = { from, to: [to], size: message.length }
    connection.send(envelope, Readable.from(body(), { objectMode: false }), (error) => {
      if (!error) resolve({ kind: 'accepted' })
      else resolve(outcomeOf(error, isCommitted))
    })
  })
}

/** The fields of nodemailer's errors. */
interface SmtpFailure {
  readonly code?: unknown
  /** Code of the system, such as ECONNREFUSED, which nodemailer replaces by its own code. */
  readonly originalCode?: unknown
  readonly responseCode?: unknown
  readonly response?: unknown
  readonly command?: unknown
}

const STAGES: Readonly<Record<string, 'sender' | 'recipient' | 'message'>> = {
  'MAIL FROM': 'sender',
  'RCPT TO': 'recipient',
  DATA: 'message',
}

function outcomeOf(error: unknown, isCommitted: boolean): SendOutcome {
  const { command, responseCode } = error as SmtpFailure
  const codes = codesOf(error)
  const stage = STAGES[String(command)]
  if (stage !== undefined && typeof responseCode === 'number' && responseCode >= 400) {
    return { kind: 'refused', stage, isPermanent: responseCode >= 500, codes }
  }
  // A 421 in reply to the message is a refusal: the server has not accepted the mail.
  const isAnswered = typeof responseCode === 'number' && responseCode >= 400
  return { kind: isCommitted && !isAnswered ? 'unconfirmed' : 'unsent', codes }
}

/** Reply code and enhanced status code (RFC 3463), or the kind of failure. */
function codesOf(error: unknown): string {
  const { code, originalCode = code, response } = error as SmtpFailure
  const [codes] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(String(response ?? '')) ?? []
  return codes?.replace('-', ' ') ?? (typeof originalCode === 'string' ? originalCode : 'failed')
}
