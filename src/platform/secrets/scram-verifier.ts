import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const SALT_BYTES = 16

/** PostgreSQL's own default (scram_iterations). The passwords are random, so more rounds would protect nothing. */
const ITERATIONS = 4_096

/** Texts that SASLprep (RFC 4013) does not change. */
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/

/**
 * What PostgreSQL stores of a password (RFC 5803): `SCRAM-SHA-256$<rounds>:<salt>$<StoredKey>:<ServerKey>`. CREATE ROLE
 * takes it in place of the password, which then appears in no statement and in no log of the server. Nobody can log in by
 * it. Throws for a password with other than printable ASCII characters.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  if (!PRINTABLE_ASCII.test(password)) throw new Error('a password for PostgreSQL is printable ASCII here')
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
