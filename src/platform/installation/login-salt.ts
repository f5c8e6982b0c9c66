import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../database/database.js'

/** The length that argon2's authors recommend. */
const SALT_BYTES = 16

/** The random bytes of this installation from which salts are derived; the first call ever creates them. */
export async function loadLoginSalt({ prisma }: Pick<Database, 'prisma'>): Promise<Uint8Array> {
  const loginSalt = new Uint8Array(randomBytes(32))
  await prisma.installation.createMany({ data: [{ id: 1, loginSalt }], skipDuplicates: true })
  await prisma.installation.updateMany({ where: { id: 1, loginSalt: null }, data: { loginSalt } })
  const row = await prisma.installation.findUniqueOrThrow({ where: { id: 1 }, select: { loginSalt: true } })
  if (row.loginSalt === null) throw new Error('the installation has no login salt')
  return row.loginSalt
}

/** The salt for the passwords of an e-mail: always the same within an installation, different in others. */
export function saltOfEmail(loginSalt: Uint8Array, email: string): Uint8Array {
  return createHmac('sha256', loginSalt).update(email).digest().subarray(0, SALT_BYTES)
}
