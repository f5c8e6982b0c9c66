import { type DestinationStream, pino } from 'pino'

export type Logger = Pick<import('pino').Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>

/** Names whose values are secrets, wherever they stand in a record. */
const SECRET_NAME =
  /^(proxy-)?authorization$|^(set-)?cookie$|^x-api-key$|api_?key$|^raw_?key$|(^|_)password$|^(access_?|bearer_?)?token$|secret|pepper/i

const API_KEY_TEXT = /mdg_(?:live|test)_[0-9A-Za-z_]{4,}/g

/** Deeper than anything we log; below it nothing is shown. */
const MAX_DEPTH = 8

/** JSON lines on standard output (or the stream given); keys and passwords never reach it. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { log: redactObject, bindings: redactObject },
    hooks: { streamWrite: (line: string) => line.replace(API_KEY_TEXT, 'mdg_[redacted]') },
  }
  return destination ? pino(options, destination) : pino(options)
}

function redactObject(record: Record<string, unknown>): Record<string, unknown> {
  return redactMembers(record, 0)
}

function redactMembers(record: object, depth: number): Record<string, unknown> {
  const members = Object.entries(record).map(([name, value]) => [
    name,
    SECRET_NAME.test(name) ? '[redacted]' : redact(value, depth + 1),
  ])
  return Object.fromEntries(members)
}

function redact(value: unknown, depth: number): unknown {
  // Errors have serializers of their own, which show message and stack.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value
  if (depth > MAX_DEPTH) return '[too deep]'
  return Array.isArray(value) ? value.map((item) => redact(item, depth + 1)) : redactMembers(value, depth)
}
