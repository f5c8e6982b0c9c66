import { generateKeyPairSync } from 'node:crypto'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../database/embedded/private-files.js'
import { parseSigningKey, type SigningKey } from './signing.js'

/** Only development on the embedded database has this file (mode 600), beside the database, so that no backup has it. */
function pathIn(dataDir: string): string {
  return join(dataDir, 'dev-signing-key.pem')
}

/** The key that an earlier start made; null without one, and for a link or another content, which a new key replaces. */
export function readDevelopmentSigningKey(dataDir: string): SigningKey | null {
  try {
    const file = openSync(pathIn(dataDir), constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return parseSigningKey(readFileSync(file, 'utf8'))
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

/** Makes a key and keeps it for later starts and for commands. The database must be open: a new one needs an empty directory. */
export async function makeDevelopmentSigningKey(dataDir: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const text = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await writePrivateFile(pathIn(dataDir), text)
  return parseSigningKey(text)
}
