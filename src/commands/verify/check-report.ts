import type { CommandCall } from '../../control/command-call.js'

interface Check {
  readonly check: string
  readonly passed: boolean
  /** The problem, or a note about a passed check; null without either. */
  readonly note: string | null
}

/** Prints the results of checks, and returns the exit code: 0 if all passed, else 1. `identity` is for JSON, `title` for people. */
export function checkReport(
  call: CommandCall,
  title: string,
  identity: Readonly<Record<string, unknown>>,
  results: readonly Check[],
  isJson: boolean,
): number {
  const isValid = results.every(({ passed }) => passed)
  if (isJson) {
    call.out(`${JSON.stringify({ ...identity, valid: isValid, checks: results })}\n`)
    return isValid ? 0 : 1
  }
  const lines = results.map(
    ({ check, passed, note }) =>
      `  ${check.padEnd(13)} ${passed ? 'ok' : 'FAILED'}${note === null ? '' : `: ${note}`}`,
  )
  call.out(`${[title, ...lines, isValid ? 'unchanged' : 'CHANGED'].join('\n')}\n`)
  return isValid ? 0 : 1
}
