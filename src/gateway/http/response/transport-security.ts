import type { Exchange } from '../../../platform/request/exchange.js'

export interface TransportSecurity {
  /** Where clients reach the gateway; null: not known. */
  readonly publicUrl: string | null
  /** X-Forwarded-Proto is that of a proxy in front. */
  readonly trustProxy: boolean
}

/** A year, as browsers' preload lists want it; other hosts of the domain are not the gateway's to bind. */
const HEADERS = ['strict-transport-security', 'max-age=31536000']
const NONE: readonly string[] = []

/** HSTS (RFC 6797) for requests that reached the gateway over TLS, which ends at a proxy: at PUBLIC_URL, or as the proxy says. */
export function transportSecurity({
  publicUrl,
  trustProxy,
}: TransportSecurity): (exchange: Pick<Exchange, 'header'>) => readonly string[] {
  if (publicUrl?.startsWith('https:')) return () => HEADERS
  if (!trustProxy) return () => NONE
  return (exchange) => (exchange.header('x-forwarded-proto') === 'https' ? HEADERS : NONE)
}
