import { ApiError } from './errors.js'
import { redactKeys } from './redact-keys.js'

/**
 * The cause of a failure in one line, for operators: logs, `reason`, `last_error`. It names the part that failed. Passwords in
 * addresses and API keys are removed. For a name with several addresses it has each failed attempt.
 */
export function failureText(error: unknown): string {
  return redactKeys(causeText(error).replace(/\/\/[^\s/@]+@/g, '//[redacted]@'))
}

function causeText(error: unknown): string {
  if (error instanceof ApiError && error.cause !== undefined) {
    const cause = causeText(error.cause)
    return error.part === null ? cause : `${error.part} cannot be used: ${cause}`
  }
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(causeText).join('; ')
  return error instanceof Error ? messageOf(error) || error.name : String(error)
}

/** The message. Prisma's client writes the call, with lines of the source, before it. */
function messageOf({ message }: Error): string {
  return /^\s*Invalid `/.test(message) ? (message.trim().split('\n').at(-1)?.trim() ?? '') : message
}
