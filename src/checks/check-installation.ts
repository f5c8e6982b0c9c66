import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { listDevelopmentAccounts } from '../domains/access/development-accounts.js'
import { listSeededDatasets } from '../ingest/seed/remove-seed.js'
import type { Database } from '../platform/database/database.js'
import { commandLine } from '../platform/installation/command-line.js'
import { loadProductionSince } from '../platform/installation/production-mark.js'
import { compareSecrets } from '../platform/installation/shared-secrets.js'
import { differenceText, isRefused, sharedSecrets } from '../platform/installation/wiring.js'
import { type Finding, ok, problem, warning } from './finding.js'
import { leftText, loadPepperState, type PepperState } from './pepper-state.js'

/** Checks whether this node's secrets are those of the other nodes, and whether production contains development data. */
export async function checkInstallation(config: Config, database: Database): Promise<readonly Finding[]> {
  return [
    ...(await checkSharedSecrets(config, database)),
    ...pepperFindings(config, await loadPepperState(database, config, systemClock.now())),
    await checkDevelopmentData(config, database),
  ]
}

const ROTATE = `run ${commandLine('admin')} secrets rotate KEY_PEPPER`

/** How far a rotation of KEY_PEPPER is, and what it left behind. */
function pepperFindings({ keyPepperOverlap }: Config, state: PepperState): readonly Finding[] {
  const { next, previous } = keyPepperOverlap
  const [check, steps] = ['rotation of KEY_PEPPER', 'follow the next step of Rotating secrets in the guide']
  const { untrusted, keys, position, webhooks, snapshotKeys } = state
  const lost =
    untrusted.length > 0
      ? [
          problem(
            'snapshot keys',
            `${untrusted.join(', ')}: not sealed with KEY_PEPPER, so not published`,
            ROTATE,
          ),
        ]
      : []
  if (keys.lost > 0) {
    const message = `${keys.lost} active keys need a pepper that is not set here, so nobody can use them`
    lost.push(warning('keys', message, 'revoke them, or set KEY_PEPPER_PREVIOUS again'))
  }
  if (next !== null) {
    const [message, advice] =
      position === 'behind'
        ? ['other nodes use KEY_PEPPER_NEXT already', 'set it as KEY_PEPPER here too']
        : ['KEY_PEPPER_NEXT is accepted', 'set it as KEY_PEPPER once every node accepts it']
    return [...lost, warning(check, message, advice)]
  }
  if (previous === null) return lost
  const isMoved = webhooks + snapshotKeys.length === 0
  const isOver = isMoved && keys.previous === 0
  const advice = isOver ? 'remove KEY_PEPPER_PREVIOUS from every node' : isMoved ? steps : ROTATE
  return [...lost, warning(check, leftText(state), advice)]
}

async function checkSharedSecrets(config: Config, database: Database): Promise<readonly Finding[]> {
  if (config.databaseUrl === null) return []
  const states = await compareSecrets(database, sharedSecrets(config))
  const refused = states.filter(isRefused)
  if (refused.length === 0) return [ok('shared secrets', 'equal to those of the other nodes')]
  return refused.map((state) =>
    problem('shared secrets', differenceText(state), `set ${state.name} to the value of the other nodes`),
  )
}

async function checkDevelopmentData(config: Config, database: Database): Promise<Finding> {
  const check = 'development'
  const isProduction = config.mode === 'production' || (await loadProductionSince(database)) !== null
  const accounts = await listDevelopmentAccounts(database.prisma)
  const datasets = await listSeededDatasets(database)
  const left = [
    ...(accounts.length > 0 ? [`${accounts.length} accounts with development keys`] : []),
    ...(datasets.length > 0 ? [`synthetic data in ${datasets.join(', ')}`] : []),
  ]
  if (left.length === 0) return ok(check, 'no development keys and no synthetic data')
  const message = left.join('; ')
  return isProduction
    ? problem(check, message, `remove both: ${commandLine('admin')} seed remove`)
    : ok(check, message)
}
