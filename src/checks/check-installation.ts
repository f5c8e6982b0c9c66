import type { Config } from '../config.js'
import { formatCount } from '../core/format-count.js'
import { systemClock } from '../core/time.js'
import { listDevelopmentAccounts } from '../domains/access/accounts/development-accounts.js'
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

/** What still needs another pepper, or nobody can read. */
function pepperFindings({ keyPepperPrevious }: Config, state: PepperState): readonly Finding[] {
  const { untrusted, webhooks, snapshotKeys } = state
  const findings: Finding[] = []
  if (untrusted.length > 0) {
    const message = `${untrusted.join(', ')}: not sealed with KEY_PEPPER, so not published`
    findings.push(problem('snapshot keys', message, ROTATE))
  }
  if (keyPepperPrevious !== null) {
    const isMoved = webhooks + snapshotKeys.length === 0
    const advice = isMoved ? 'remove KEY_PEPPER_PREVIOUS when no recent mail has a link of it' : ROTATE
    findings.push(warning('rotation of KEY_PEPPER', leftText(state), advice))
  } else if (webhooks > 0) {
    const message = `${webhooks} need another KEY_PEPPER, so receivers refuse their events`
    const advice = 'set KEY_PEPPER_PREVIOUS again, or let their owners create new secrets'
    findings.push(problem('secrets of webhooks', message, advice))
  }
  return findings
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
    ...(accounts.length > 0 ? [`${formatCount(accounts.length, 'account')} with development keys`] : []),
    ...(datasets.length > 0 ? [`synthetic data in ${datasets.join(', ')}`] : []),
  ]
  if (left.length === 0) return ok(check, 'no development keys and no synthetic data')
  const message = left.join('; ')
  return isProduction
    ? problem(check, message, `remove both: ${commandLine('admin')} seed remove`)
    : ok(check, message)
}
