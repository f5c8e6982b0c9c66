import type { Config } from '../../config.js'
import type { Database, Transaction } from '../database/database.js'
import { acceptedPeppers } from '../secrets/peppers.js'
import { parseTokenKeys } from '../secrets/secrets.js'
import { commandLine } from './command-line.js'
import { loadPepperPosition, notePeppers, type PepperFault } from './pepper-record.js'
import {
  compareSecrets,
  noteSecret,
  recordFirstSecrets,
  type SecretState,
  type SharedSecret,
} from './shared-secrets.js'

/** The secrets that every node on one database must share. */
export function sharedSecrets(config: Config): readonly SharedSecret[] {
  return [pepperOf(config), tokenKeysOf(config)]
}

function pepperOf({ keyPepper, keyPepperOverlap }: Config): SharedSecret {
  return { name: 'KEY_PEPPER', secrets: acceptedPeppers(keyPepper, keyPepperOverlap) }
}

function tokenKeysOf({ jwtKeys }: Config): SharedSecret {
  const [signing, ...others] = parseTokenKeys(jwtKeys)
  return { name: 'JWT_KEYS', secrets: [signing.secret, ...others.map(({ secret }) => secret)] }
}

/** What a different value on this node breaks. */
const CONSEQUENCE: Readonly<Record<string, string>> = {
  KEY_PEPPER: 'this node would refuse every API key that the others accept',
  JWT_KEYS: 'this node would refuse the access tokens of the others',
}

const UNANNOUNCED_PEPPER =
  'KEY_PEPPER is new, and nodes that do not accept it would refuse keys: start every node with the old KEY_PEPPER and with this one as KEY_PEPPER_NEXT first'

/** Why a node may not be the first with a new secret, and what to do. */
const UNANNOUNCED: Readonly<Record<string, string>> = {
  KEY_PEPPER: UNANNOUNCED_PEPPER,
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

const PEPPER_FAULTS: Readonly<Record<Exclude<PepperFault, 'different'>, string>> = {
  unannounced: UNANNOUNCED_PEPPER,
  unfinished: `Webhooks or public keys of snapshots still need the previous pepper: set KEY_PEPPER_PREVIOUS to it and run ${commandLine('admin')} secrets rotate KEY_PEPPER; if it is lost, run ${commandLine('admin')} secrets forget KEY_PEPPER`,
}

/**
 * Records the secrets of a node that starts, and the steps of a rotation. Throws an Error that names each secret that this
 * node may not have, and what to do. The embedded database has only one node. `isUnfinished`: see `notePeppers`.
 */
export async function joinInstallation(
  database: Database,
  config: Config,
  now: Date,
  isUnfinished: (tx: Transaction) => Promise<boolean>,
): Promise<void> {
  if (config.databaseUrl === null) return
  const tokens = await noteSecret(database, tokenKeysOf(config), now)
  const fault = await notePeppers(database, config, now, isUnfinished)
  const pepper = fault === 'different' ? await compareSecrets(database, [pepperOf(config)]) : []
  const lines = differences([...pepper, tokens])
  if (fault !== null && fault !== 'different') lines.unshift(PEPPER_FAULTS[fault])
  if (lines.length > 0) throw new Error(lines.join('\n'))
}

/**
 * Throws an Error that names each secret of a command that is not that of the nodes. Records the secrets when no node has
 * started yet. The embedded database has only one node.
 */
export async function assertSharedSecrets(database: Database, config: Config, now: Date): Promise<void> {
  if (config.databaseUrl === null) return
  const position = await loadPepperPosition(database, config)
  const noted = position === 'unknown' ? sharedSecrets(config) : [tokenKeysOf(config)]
  const states = await recordFirstSecrets(database, noted, now)
  const pepper = position === 'different' ? await compareSecrets(database, [pepperOf(config)]) : []
  const lines = differences([...pepper, ...states])
  if (position === 'ahead') lines.unshift(AHEAD)
  if (lines.length > 0) throw new Error(lines.join('\n'))
}

const AHEAD =
  'KEY_PEPPER is new, and no node has started with it yet: run the command with the settings of the nodes'

function differences(states: readonly SecretState[]): string[] {
  return states.filter(isRefused).map(differenceText)
}
