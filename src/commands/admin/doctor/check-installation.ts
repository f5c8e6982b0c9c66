import type { Config } from '../../../config.js'
import { listDevelopmentAccounts } from '../../../domains/access/development-accounts.js'
import { listSeededDatasets } from '../../../ingest/seed/remove-seed.js'
import type { Database } from '../../../platform/database/database.js'
import { commandLine } from '../../../platform/installation/command-line.js'
import { loadProductionSince } from '../../../platform/installation/production-mark.js'
import { compareSecrets } from '../../../platform/installation/shared-secrets.js'
import { differenceText, sharedSecrets } from '../../../platform/installation/wiring.js'
import { type Finding, ok, problem } from './finding.js'

/** Checks whether this node's secrets are those of the other nodes, and whether production contains development data. */
export async function checkInstallation(config: Config, database: Database): Promise<readonly Finding[]> {
  return [...(await checkSharedSecrets(config, database)), await checkDevelopmentData(config, database)]
}

async function checkSharedSecrets(config: Config, database: Database): Promise<readonly Finding[]> {
  if (config.databaseUrl === null) return []
  const states = await compareSecrets(database, sharedSecrets(config))
  const different = states.filter(({ status }) => status === 'different')
  if (different.length === 0) return [ok('shared secrets', 'equal to those of the other nodes')]
  return different.map((state) =>
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
