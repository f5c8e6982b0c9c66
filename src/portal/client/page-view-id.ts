const BYTES = 16

let current: { readonly path: string; readonly id: string } | null = null

/** A random id, the same for all requests of the page that is shown. The requests of one page cost an account one unit. */
export function getPageViewId(): string {
  const path = location.pathname
  if (current?.path !== path) current = { path, id: randomHex() }
  return current.id
}

/** `crypto.randomUUID` exists only on pages of HTTPS and localhost. */
function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
