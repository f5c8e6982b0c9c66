import type { Config } from '../config.js'
import { withoutTrailing } from '../core/without-trailing.js'

/** Hosts that mean every interface. Clients on this machine use localhost instead. */
const EVERY_INTERFACE = ['0.0.0.0', '::']

/** The base URL of links in responses, without a slash at the end: PUBLIC_URL, else the host and port of the gateway. */
export function getPublicUrl({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return withoutTrailing(publicUrl, '/')
  const name = EVERY_INTERFACE.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
