import { CHECKS } from '../../checks/checks.js'
import { examine } from '../../checks/examine.js'
import type { Finding } from '../../checks/finding.js'
import { formatCount } from '../../core/format-count.js'
import { systemClock } from '../../core/time.js'
import type { Command } from './command.js'

export const doctor: Command = {
  name: 'doctor',
  summary: `checks configuration, ${CHECKS.map(({ name }) => name).join(', ')}, and says what to do`,
  run: async (given) => {
    const checks = await examine(given.env, systemClock, given.shared)
    const count = (status: Finding['status']) => checks.filter((finding) => finding.status === status).length
    const [problems, warnings] = [count('problem'), count('warning')]
    const status = problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok'
    return {
      json: { status, problems, warnings, checks },
      text: `${checks.map(findingText).join('')}${offText(checks)}\n${summaryText(problems, warnings)}\n`,
      isFailure: problems > 0,
    }
  },
}

function findingText({ check, status, message, advice }: Finding): string {
  if (status === 'off') return ''
  const line = `${status.padEnd(7)}  ${check.padEnd(16)}  ${message}\n`
  return advice === null ? line : `${line}${' '.repeat(27)}→ ${advice}\n`
}

/** One line that names the parts that are off. */
function offText(checks: readonly Finding[]): string {
  const names = checks.filter(({ status }) => status === 'off').map(({ check }) => check)
  if (names.length === 0) return ''
  return `${'off'.padEnd(7)}  ${names.join(', ')}; --json says why, and how to switch each on\n`
}

function summaryText(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'No problems found.'
  return `${formatCount(problems, 'problem')}, ${formatCount(warnings, 'warning')}.`
}
