import { leftText, loadPepperState, pepperJson } from '../../../checks/pepper-state.js'
import { type Config, loadConfig } from '../../../config.js'
import { systemClock } from '../../../core/time.js'
import { noteOperation } from '../../../domains/access/audit-store.js'
import type { Database } from '../../../platform/database/database.js'
import { compareSecrets, forgetSecret } from '../../../platform/installation/shared-secrets.js'
import { type NotedSnapshotKey, resealSnapshotKeys } from '../../../platform/installation/snapshot-keys.js'
import { sharedSecrets } from '../../../platform/installation/wiring.js'
import { withDatabase } from '../../command-world.js'
import { UsageError } from '../../usage-error.js'
import type { Answer, Command } from '../command.js'
import { table } from '../table.js'
import { rotatePepper } from './rotate-pepper.js'
import { rotateSigningKey } from './rotate-signing-key.js'

const list: Command = {
  name: 'secrets list',
  summary:
    'shows whether KEY_PEPPER and JWT_KEYS are those of the installation, without their values, what needs another KEY_PEPPER, and the public keys of snapshots',
  run: (given) => {
    const config = loadConfig(given.env)
    return withDatabase(given, config, given.signal, (database) => listSecrets(database, config))
  },
}

async function listSecrets(database: Database, config: Config): Promise<Answer> {
  const states = await compareSecrets(database, sharedSecrets(config))
  const pepper = await loadPepperState(database, config, systemClock.now())
  const signing = pepper.noted.map((key) => ({
    key_id: key.keyId,
    noted_at: key.notedAt,
    status: statusOf(key, config),
  }))
  return {
    json: {
      secrets: states.map(({ name, status, notedAt }) => ({ name, status, noted_at: notedAt })),
      key_pepper: pepperJson(pepper),
      signing_keys: signing,
    },
    text: [
      table(
        ['secret', 'status', 'recorded'],
        states.map(({ name, status, notedAt }) => [name, status, notedAt]),
        'the nodes share no secret',
      ),
      `${leftText(pepper)}\n`,
      table(
        ['signing key', 'status', 'recorded'],
        signing.map(({ key_id, status, noted_at }) => [key_id, status, noted_at]),
        'no key signs snapshots',
      ),
    ].join(''),
  }
}

function statusOf({ keyId, pepper }: NotedSnapshotKey, { signingKey }: Config) {
  if (pepper === null) return 'untrusted'
  return keyId === signingKey?.keyId ? 'signs' : 'verifies'
}

const rotate: Command = {
  name: 'secrets rotate',
  parameters: ['name'],
  summary:
    'one step of the rotation of KEY_PEPPER or SIGNING_KEY, which the guide Rotating keys and secrets describes',
  run: (given) => {
    const config = loadConfig(given.env)
    const name = given.word('name')
    if (name !== 'KEY_PEPPER' && name !== 'SIGNING_KEY')
      throw unknownSecret(name, ['KEY_PEPPER', 'SIGNING_KEY'])
    return withDatabase(given, config, given.signal, (database) =>
      name === 'KEY_PEPPER'
        ? rotatePepper(database, config, given.signal)
        : rotateSigningKey(database, config),
    )
  },
}

const forget: Command = {
  name: 'secrets forget',
  parameters: ['name'],
  summary:
    'lets the next start record a new KEY_PEPPER or JWT_KEYS; the secrets of webhooks, or all access tokens, of the old one become invalid',
  run: (given) => {
    const config = loadConfig(given.env)
    const names = sharedSecrets(config).map(({ name }) => name)
    const name = given.word('name')
    if (!names.includes(name)) throw unknownSecret(name, names)
    return withDatabase(given, config, given.signal, async (database) => {
      const isPepper = name === 'KEY_PEPPER'
      const isForgotten = await forgetSecret(database, name)
      await noteOperation(database.prisma, 'secret_forgotten', systemClock.now(), { name })
      const resealed = isPepper ? await resealSnapshotKeys(database, config.keyPepper) : []
      const kept =
        resealed.length === 0
          ? ''
          : `the public keys of snapshots in the database are trusted again: ${resealed.join(', ')}; compare them with a copy of /.well-known/jwks.json\n`
      return {
        json: { name, forgotten: isForgotten, snapshot_keys: resealed },
        text: `${isForgotten ? `${name} is forgotten; the next start records its own` : `${name} was not recorded`}\n${kept}`,
      }
    })
  },
}

function unknownSecret(name: string, names: readonly string[]): UsageError {
  return new UsageError(`unknown secret ${JSON.stringify(name)}; use one of: ${names.join(', ')}`)
}

export const SECRET_COMMANDS: readonly Command[] = [list, forget, rotate]
