import { isIP } from 'node:net'

/** A mail server that takes mails to send. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** tls: from the first byte; starttls: refused where the server does not offer it; none: in the clear. */
  readonly encryption: 'tls' | 'starttls' | 'none'
  /** Null: it asks for none. */
  readonly credentials: { readonly user: string; readonly pass: string } | null
}

const SCHEMES = ['smtp:', 'smtps:']
const PORTS = { tls: 465, starttls: 587, none: 25 } as const

/**
 * Reads smtps://user:password@host:465 (TLS) or smtp://user:password@host:587 (STARTTLS, which must succeed). Nothing is
 * encrypted on the way to this machine itself, nor with `?starttls=off`, for a relay in a network of one's own that asks
 * for no password. Throws with the reason, never with the address.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !SCHEMES.includes(url.protocol) || url.hostname === '') {
    throw new Error('must be smtps://user:password@host or smtp://user:password@host:587')
  }
  if (url.hash !== '' || !['', '/'].includes(url.pathname))
    throw new Error('must have no path and no fragment')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const encryption = encryptionOf(url, host)
  const credentials = smtpCredentialsOf(url)
  if (encryption === 'none' && credentials !== null && !isThisMachine(host)) {
    throw new Error('sends a password, so it must be smtps or have no starttls=off')
  }
  return { host, port: url.port === '' ? PORTS[encryption] : Number(url.port), encryption, credentials }
}

function encryptionOf(url: URL, host: string): SmtpServer['encryption'] {
  const parameters = [...url.searchParams]
  if (url.protocol === 'smtps:') {
    if (parameters.length > 0) throw new Error('smtps takes no parameters')
    return 'tls'
  }
  if (parameters.some(([name, value]) => name !== 'starttls' || value !== 'off') || parameters.length > 1) {
    throw new Error('takes no parameter but starttls=off')
  }
  return parameters.length === 1 || isThisMachine(host) ? 'none' : 'starttls'
}

function smtpCredentialsOf({ username, password }: URL): SmtpServer['credentials'] {
  if (username === '' && password === '') return null
  if (username === '' || password === '') throw new Error('must have both a user and a password, or none')
  return { user: decoded(username), pass: decoded(password) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('user and password must be percent-encoded')
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
