/** Shapes of what no line of a log may hold, whatever test wrote it. */
const SHAPES: readonly (readonly [what: string, shape: RegExp])[] = [
  ['an API key', /mdg_(?:live|test)_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}/],
  ['an access token', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{20,}/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a password hash', /\$argon2(?:id|i|d)\$|SCRAM-SHA-256\$\d+:/],
  ['the password of an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"\\]*:[^\s/@"\\]+@/i],
  ['a link of a mail', /\/newsletter\/(?:confirm|unsubscribe)\?token=[\w.-]{10,}/],
  ['the value of an authorization header', /"(?:proxy-)?authorization":"(?!\[redacted\])[^"]+"/i],
]

/** Throws for a text of a log that holds a secret, and says which kind, not which. */
export function assertNoSecret(text: string): void {
  const found = SHAPES.find(([, shape]) => shape.test(text))
  if (found === undefined) return
  const [what, shape] = found
  const line = text.split('\n').find((candidate) => shape.test(candidate)) ?? ''
  throw new Error(`a line of the log holds ${what}: ${line.replace(shape, '[…]').slice(0, 300)}`)
}
