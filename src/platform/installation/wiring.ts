import type { Config } from '../../config.js'
import type { Database } from '../database/database.js'
import { acceptedPeppers } from '../secrets/peppers.js'
import { parseTokenKeys } from '../secrets/secrets.js'
import { commandLine } from './command-line.js'
import { noteSecret, recordFirstSecrets, type SecretState, type SharedSecret } from './shared-secrets.js'

/** The secrets that every node on one database must share. */
export function sharedSecrets(config: Config): readonly SharedSecret[] {
  return [pepperOf(config), tokenKeysOf(config)]
}

function pepperOf({ keyPepper, keyPepperPrevious }: Config): SharedSecret {
  const secrets = acceptedPeppers(keyPepper, keyPepperPrevious)
  return { name: 'KEY_PEPPER', secrets, mustBeAnnounced: false }
}

function tokenKeysOf({ jwtKeys }: Config): SharedSecret {
  const [signing, ...others] = parseTokenKeys(jwtKeys)
  const secrets = [signing.secret, ...others.map(({ secret }) => secret)] as const
  return { name: 'JWT_KEYS', secrets, mustBeAnnounced: true }
}

/** What a different value on this node breaks. */
const CONSEQUENCE: Readonly<Record<string, string>> = {
  KEY_PEPPER:
    'this node could not read the secrets of webhooks, and would refuse links in mails of the others',
  JWT_KEYS: 'this node would refuse the access tokens of the others',
}

/** Why a secret may not be used yet, and what to do. */
const UNANNOUNCED: Readonly<Record<string, string>> = {
  KEY_PEPPER:
    'KEY_PEPPER is new, and no node has started with it yet: run the command with the settings of the nodes',
  JWT_KEYS:
    'The first key of JWT_KEYS is new, and nodes that do not accept it would refuse its access tokens: start every node with this key behind the old one first',
}

/** Whether a node may not use its secret here. */
export function isRefused({ status }: SecretState): boolean {
  return status === 'different' || status === 'unannounced'
}

/** Why a secret of this node cannot be used here, and what to do. */
export function differenceText({ name, status, notedAt }: SecretState): string {
  if (status === 'unannounced') return UNANNOUNCED[name] ?? `${name} is new`
  const since = notedAt === null ? '' : ` since ${notedAt.toISOString()}`
  return `${name} is not the one that this installation uses${since}: ${CONSEQUENCE[name]}. Set the same value on every node; the guide Rotating keys and secrets says how to change it; if the old value is lost, run ${commandLine('admin')} secrets forget ${name}`
}

/**
 * Records the secrets of a node that starts. Throws an Error that names each secret that this node may not have, and what to do.
 * The embedded database has only one node.
 */
export async function joinInstallation(database: Database, config: Config, now: Date): Promise<void> {
  if (config.databaseUrl === null) return
  const states: SecretState[] = []
  for (const secret of sharedSecrets(config)) states.push(await noteSecret(database, secret, now))
  assertNoneRefused(states)
}

/**
 * Throws an Error that names each secret of a command that is not that of the nodes. Records the secrets when no node has
 * started yet. The embedded database has only one node.
 */
export async function assertSharedSecrets(database: Database, config: Config, now: Date): Promise<void> {
  if (config.databaseUrl === null) return
  assertNoneRefused(await recordFirstSecrets(database, sharedSecrets(config), now))
}

function assertNoneRefused(states: readonly SecretState[]): void {
  const lines = states.filter(isRefused).map(differenceText)
  if (lines.length > 0) throw new Error(lines.join('\n'))
}
