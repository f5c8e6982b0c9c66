import { loadConfig } from '../../config.js'
import { compareSecrets, forgetSecret } from '../../platform/installation/shared-secrets.js'
import { resealSnapshotKeys } from '../../platform/installation/snapshot-keys.js'
import { sharedSecrets } from '../../platform/installation/wiring.js'
import { withDatabase } from '../command-world.js'
import { UsageError } from '../usage-error.js'
import type { Command } from './command.js'
import { table } from './table.js'

const list: Command = {
  name: 'secrets list',
  parameters: [],
  options: [],
  summary: 'shows whether KEY_PEPPER and JWT_KEYS are those of the installation, without their values',
  run: (given) => {
    const config = loadConfig(given.env)
    return withDatabase(given, config, given.signal, async (database) => {
      const states = await compareSecrets(database, sharedSecrets(config))
      return {
        json: { secrets: states.map(({ name, status, notedAt }) => ({ name, status, noted_at: notedAt })) },
        text: table(
          ['secret', 'status', 'recorded'],
          states.map(({ name, status, notedAt }) => [name, status, notedAt]),
          'the nodes share no secret',
        ),
      }
    })
  },
}

const forget: Command = {
  name: 'secrets forget',
  parameters: ['name'],
  options: [],
  summary:
    'lets the next start record a new KEY_PEPPER or JWT_KEYS; all API keys, or all access tokens, of the old one become invalid',
  run: (given) => {
    const config = loadConfig(given.env)
    const names = sharedSecrets(config).map(({ name }) => name)
    const name = given.word('name')
    if (!names.includes(name))
      throw new UsageError(`unknown secret ${JSON.stringify(name)}; use one of: ${names.join(', ')}`)
    return withDatabase(given, config, given.signal, async (database) => {
      const isForgotten = await forgetSecret(database, name)
      const resealed = name === 'KEY_PEPPER' ? await resealSnapshotKeys(database, config.keyPepper) : []
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

export const SECRET_COMMANDS: readonly Command[] = [list, forget]
