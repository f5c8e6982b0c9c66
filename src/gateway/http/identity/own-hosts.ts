import { ApiError } from '../../../core/errors.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/** Host names under which a gateway is called; null for any. */
export type OwnHosts = ReadonlySet<string> | null

interface ListenSettings {
  readonly isDevelopment: boolean
  /** Whether other machines can call the gateway. */
  readonly isExposed: boolean
  readonly host: string
  readonly publicUrl: string | null
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'] as const

/**
 * Returns the names of a gateway in development that listens on this machine only: those of the machine, the configured host and
 * the public URL. Its pages contain a key. A page of another site could read it through a name that resolves to this
 * machine (DNS rebinding), because its requests then count as those of one origin. Returns null for any other gateway.
 */
export function configuredOwnHosts({ isDevelopment, isExposed, host, publicUrl }: ListenSettings): OwnHosts {
  if (!isDevelopment || isExposed) return null
  return new Set([...LOOPBACK_HOSTS, host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])])
}

/** Throws 403 for a request to another host. A request within another protocol has no `Host`. */
export function assertOwnHost(exchange: Pick<Exchange, 'header'>, hosts: OwnHosts): void {
  const given = hosts === null ? null : exchange.header('host')
  if (hosts === null || given === null || hosts.has(hostname(given))) return
  throw new ApiError('forbidden', {
    message:
      'A gateway in development that listens on 127.0.0.1 refuses other names in Host. Call http://localhost, or set PUBLIC_URL to the address that you use.',
  })
}

function hostname(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}
