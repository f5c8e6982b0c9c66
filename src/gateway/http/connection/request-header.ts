import type { IncomingMessage } from 'node:http'

/** A header by its lower-case name, repeated ones joined; null where it is absent. */
export function requestHeader({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name]
  return typeof value === 'object' ? value.join(', ') : (value ?? null)
}
