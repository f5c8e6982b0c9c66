import type { IncomingMessage } from 'node:http'

/** Returns a header by lower-case name, with repeated ones joined; null if it is absent. */
export function requestHeader({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name]
  return typeof value === 'object' ? value.join(', ') : (value ?? null)
}
