import { PassThrough } from 'node:stream'
import { createTransport } from 'nodemailer'
import { settledWithin } from '../settled-within.js'
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
 * - unsent: the connection failed before the whole message was sent.
 * - unconfirmed: the whole message was sent, but no reply arrived. The server may have accepted the mail.
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

/** Connections to a mail server, which open when mails need them. */
export interface MailTransport {
  /** Sends a mail. Never throws. Takes at most `withinMs`, by default five minutes. */
  send(envelope: MailEnvelope, withinMs?: number): Promise<SendOutcome>
  /** Ends mails that are being sent, too. */
  close(): void
}

/** Time limit of connecting, including DNS, greeting and TLS. */
const CONNECT_MS = 15_000
/** Longest wait for a reply. It is shorter than RFC 5321 §4.5.3.2 asks for. */
const SILENCE_MS = 120_000
/** Time limit of one mail, including connecting. */
const SEND_MS = 300_000
/** Maximum bytes of one reply, which has codes and a line of text. */
const MAX_REPLY_BYTES = 64 * 1_024
/** Maximum number of mails per connection. Some servers close it after a hundred. */
const MAX_MAILS = 100

export function createMailTransport(server: SmtpServer, maxConnections = 1): MailTransport {
  const pool = createTransport({
    ...connectionOptions(server, CONNECT_MS, SILENCE_MS),
    pool: true,
    maxConnections,
    maxMessages: MAX_MAILS,
    // The sender decides when a mail is tried again.
    maxRequeues: 0,
  })
  // The mail that was being sent gets the same error.
  pool.on('error', () => {})
  const sent = new WeakSet<object>()
  pool.use('stream', ({ message, data: { envelope = {} } }, done) => {
    // Ends when its last byte goes to the connection.
    message.processFunc((bytes) => bytes.pipe(new PassThrough()).once('end', () => sent.add(envelope)))
    done()
  })
  return {
    send: async ({ from, to, message }, withinMs = SEND_MS) => {
      const envelope = { from, to: [to], size: message.length }
      const deadline = AbortSignal.timeout(withinMs)
      try {
        await pool.sendMail({ envelope, raw: message, signal: deadline })
        return { kind: 'accepted' }
      } catch (error) {
        return outcomeOf(deadline.aborted ? TIMED_OUT : error, sent.has(envelope))
      }
    },
    close: () => pool.close({ force: true }),
  }
}

/** Connects and logs in. Returns the server's reply codes or the kind of failure; null if it accepts mails. */
export async function checkMailServer(server: SmtpServer, withinMs: number): Promise<string | null> {
  const verified = createTransport(connectionOptions(server, withinMs, withinMs))
    .verify()
    .then(() => null, codesOf)
  return (await settledWithin(withinMs, verified)) ? verified : TIMED_OUT.code
}

function connectionOptions(
  { host, port, encryption, credentials }: SmtpServer,
  connectMs: number,
  silenceMs: number,
) {
  return {
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(credentials === null ? {} : { auth: { ...credentials }, forceAuth: true }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    maxResponseSize: MAX_REPLY_BYTES,
    // The library's log would contain addresses and replies.
    logger: false,
  }
}

const TIMED_OUT = { code: 'ETIMEDOUT' } as const

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

function outcomeOf(error: unknown, isSent: boolean): SendOutcome {
  const { command, responseCode } = error as SmtpFailure
  const codes = codesOf(error)
  const stage = STAGES[String(command)]
  if (stage !== undefined && typeof responseCode === 'number' && responseCode >= 400) {
    return { kind: 'refused', stage, isPermanent: responseCode >= 500, codes }
  }
  // A 421 in reply to the message is a refusal: the server has not accepted the mail.
  const isAnswered = typeof responseCode === 'number' && responseCode >= 400
  return { kind: isSent && !isAnswered ? 'unconfirmed' : 'unsent', codes }
}

/** Reply code and enhanced status code (RFC 3463), or the kind of failure. */
function codesOf(error: unknown): string {
  const { code, originalCode = code, response } = error as SmtpFailure
  const [codes] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(String(response ?? '')) ?? []
  return codes?.replace('-', ' ') ?? (typeof originalCode === 'string' ? originalCode : 'failed')
}
