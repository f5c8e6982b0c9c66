import type { Config } from '../../config.js'
import type { Database } from '../database/database.js'
import { parseTokenKeys } from '../secrets/secrets.js'
import { commandLine } from './command-line.js'
import { noteSecrets, type SecretState, type SharedSecret } from './shared-secrets.js'

/** The secrets that every node on one database must share. */
export function sharedSecrets({ keyPepper, jwtKeys }: Config): readonly SharedSecret[] {
  const [signing, ...others] = parseTokenKeys(jwtKeys)
  return [
    { name: 'KEY_PEPPER', secrets: [keyPepper] },
    { name: 'JWT_KEYS', secrets: [signing.secret, ...others.map(({ secret }) => secret)] },
  ]
}

/** What a different value on this node breaks, and how to change it. */
const CONSEQUENCE: Readonly<Record<string, string>> = {
  KEY_PEPPER: 'this node would refuse every API key that the others accept',
  JWT_KEYS:
    'this node would refuse the access tokens of the others; to rotate, put the new key first and the old one after it',
}

/** Why a secret of this node cannot be used here, and what to do. */
export function differenceText({ name, notedAt }: SecretState): string {
  const since = notedAt === null ? '' : ` since ${notedAt.toISOString()}`
  return `${name} is not the one that this installation uses${since}: ${CONSEQUENCE[name]}. Set the same value on every node; if the old value is lost, run ${commandLine('admin')} secrets forget ${name}`
}

/** Throws an Error that names each secret that differs from the recorded one. The embedded database has only one node. */
export async function assertSharedSecrets(database: Database, config: Config, now: Date): Promise<void> {
  if (config.databaseUrl === null) return
  const states = await noteSecrets(database, sharedSecrets(config), now)
  const different = states.filter(({ status }) => status === 'different')
  if (different.length > 0) throw new Error(different.map(differenceText).join('\n'))
}
