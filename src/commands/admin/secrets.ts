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
  summary: 'whether KEY_PEPPER and JWT_KEYS here are those of the installation; never their values',
  run: (given) => {
    const config = loadConfig(given.env)
    return withDatabase(given, config, given.signal, async (database) => {
      const states = await compareSecrets(database, sharedSecrets(config))
      return {
        json: { secrets: states.map(({ name, status, notedAt }) => ({ name, status, noted_at: notedAt })) },
        text: table(
          ['secret', 'status', 'noted'],
          states.map(({ name, status, notedAt }) => [name, status, notedAt]),
          'no secret is shared',
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
    'lets the next start set a new KEY_PEPPER or JWT_KEYS; all API keys, or all access tokens, made with the old one end',
  run: (given) => {
    const config = loadConfig(given.env)
    const names = sharedSecrets(config).map(({ name }) => name)
    const name = given.word('name')
    if (!names.includes(name)) throw new UsageError(`${JSON.stringify(name)} is none of ${names.join(', ')}`)
    return withDatabase(given, config, given.signal, async (database) => {
      const isForgotten = await forgetSecret(database, name)
      const resealed = name === 'KEY_PEPPER' ? await resealSnapshotKeys(database, config.keyPepper) : []
      const kept =
        resealed.length === 0
          ? ''
          : `the public keys of snapshots were taken over from the database: ${resealed.join(', ')}; compare them with a copy of /.well-known/jwks.json\n`
      return {
        json: { name, forgotten: isForgotten, snapshot_keys: resealed },
        text: `${isForgotten ? `${name} is forgotten: the next start sets its own` : `nothing was noted of ${name}`}\n${kept}`,
      }
    })
  },
}

export const SECRET_COMMANDS: readonly Command[] = [list, forget]
