import { DAY_MS } from '../core/time.js'
import { loadLastOperation } from '../domains/access/audit-store.js'
import { commandLine } from '../platform/installation/command-line.js'
import type { CheckWorld } from './check.js'
import { ageSeconds, ageText, type Finding, off, ok, warning } from './finding.js'

const OLD_MS = 2 * DAY_MS

/** Checks the age of the newest backup that `admin backup` wrote. Other ways of backing up are not known here. */
export async function checkBackup({ database, clock }: CheckWorld): Promise<readonly Finding[]> {
  const writtenAt = await loadLastOperation(database.prisma, 'backup_written')
  const advice = `run ${commandLine('admin')} backup each day, or archive the log of PostgreSQL`
  if (writtenAt === null)
    return [off('backup', `none of the last 90 days was written by ${commandLine('admin')} backup`, advice)]
  const now = clock.now()
  const message = `the newest is ${ageText(ageSeconds(writtenAt, now))} old`
  const finding =
    now.getTime() - writtenAt.getTime() > OLD_MS ? warning('backup', message, advice) : ok('backup', message)
  return [{ ...finding, facts: { kind: 'database', written_at: writtenAt } }]
}
