import type { Config } from '../config.js'

/** Addresses that mean every interface: a client on this machine reaches them as localhost. */
const EVERY_INTERFACE = ['0.0.0.0', '::']

/** The address that links in answers begin with, without a slash at the end: as configured, else the one that listens. */
export function getPublicUrl({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  const name = EVERY_INTERFACE.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
