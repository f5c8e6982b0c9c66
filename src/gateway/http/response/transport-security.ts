import type { Exchange } from '../../../platform/request/exchange.js'

export interface TransportSecurity {
  /** URL at which clients reach the gateway; null if unknown. */
  readonly publicUrl: string | null
  /** Whether a trusted proxy sets X-Forwarded-Proto. */
  readonly trustProxy: boolean
}

/** One year, which preload lists of browsers require. Without subdomains, because they may not belong to the gateway. */
const HEADERS = ['strict-transport-security', 'max-age=31536000']
const NONE: readonly string[] = []

/** HSTS (RFC 6797) for requests over TLS, which a proxy terminates: PUBLIC_URL or X-Forwarded-Proto shows that it was used. */
export function transportSecurity({
  publicUrl,
  trustProxy,
}: TransportSecurity): (exchange: Pick<Exchange, 'header'>) => readonly string[] {
  if (publicUrl?.startsWith('https:')) return () => HEADERS
  if (!trustProxy) return () => NONE
  return (exchange) => (exchange.header('x-forwarded-proto') === 'https' ? HEADERS : NONE)
}
