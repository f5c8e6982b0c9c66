import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const SALT_BYTES = 16

/** PostgreSQL's default (scram_iterations). The passwords are random, so more rounds add no protection. */
const ITERATIONS = 4_096

/** Texts that SASLprep (RFC 4013) does not change. */
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/

/**
 * Computes what PostgreSQL stores of a password (RFC 5803): `SCRAM-SHA-256$<rounds>:<salt>$<StoredKey>:<ServerKey>`. CREATE
 * ROLE accepts it instead of the password, so the password appears in no statement and no log of the server. It does not
 * allow a login. Throws for a password with other than printable ASCII characters.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  if (!PRINTABLE_ASCII.test(password)) throw new Error('a password for PostgreSQL must be printable ASCII')
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
