import { isIP } from 'node:net'

/** A mail server that sends mails for the gateway. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** tls: encrypted from the first byte; starttls: required, so a server without it is not used; none: unencrypted. */
  readonly encryption: 'tls' | 'starttls' | 'none'
  /** Null if the server requires no login. */
  readonly credentials: { readonly user: string; readonly pass: string } | null
}

const SCHEMES = ['smtp:', 'smtps:']
const PORTS = { tls: 465, starttls: 587, none: 25 } as const

/**
 * Parses smtps://user:password@host:465 (TLS) or smtp://user:password@host:587 (STARTTLS, which must succeed). A connection
 * to this machine is not encrypted, nor one with `?starttls=off`, which is for a relay in a private network that requires
 * no password. Throws an error with the reason, never the URL.
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
    throw new Error('has a password, so it must be smtps or not have starttls=off')
  }
  return { host, port: url.port === '' ? PORTS[encryption] : Number(url.port), encryption, credentials }
}

function encryptionOf(url: URL, host: string): SmtpServer['encryption'] {
  const parameters = [...url.searchParams]
  if (url.protocol === 'smtps:') {
    if (parameters.length > 0) throw new Error('smtps must have no parameters')
    return 'tls'
  }
  if (parameters.some(([name, value]) => name !== 'starttls' || value !== 'off') || parameters.length > 1) {
    throw new Error('has an unknown parameter; only starttls=off is allowed')
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
