import type { Clock } from '../core/time.js'
import type { Database } from '../platform/database/database.js'
import { findingsOf } from './check.js'
import { checkConfiguration } from './check-configuration.js'
import { openForChecks } from './check-database.js'
import { CHECKS } from './checks.js'
import { type Finding, warning } from './finding.js'

/** Makes all checks, causes before effects. Changes nothing. `shared`: the open database of a gateway. */
export async function examine(
  env: NodeJS.ProcessEnv,
  clock: Clock,
  shared: Database | null = null,
): Promise<readonly Finding[]> {
  const { config, findings } = checkConfiguration(env)
  if (config === null) return findings
  const opened = shared ?? (await openForChecks(config))
  const database = 'check' in opened ? null : opened
  const found: Finding[] = 'check' in opened ? [...findings, opened] : [...findings]
  let hasTables = true
  try {
    for (const check of CHECKS) {
      if (check.needs === 'configuration') {
        found.push(...(await findingsOf(check, () => check.run({ config, clock }))))
      } else if (database !== null && (hasTables || check.needs === 'server')) {
        const more = await findingsOf(check, () => check.run({ config, clock, database }))
        found.push(...more)
        if (check.name === 'migrations' && more.some(({ status }) => status === 'problem')) {
          hasTables = false
          found.push(warning('data', 'not checked', 'correct the migrations first'))
        }
      }
    }
    return found.map(({ facts: _, ...finding }) => finding)
  } finally {
    if (database !== null && database !== shared) await database.close()
  }
}
