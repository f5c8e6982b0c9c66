import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { redactKeys } from '../core/redact-keys.js'
import { logText } from './log-text.js'
import { openStandardOutput } from './standard-output.js'

export interface Logger extends Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> {
  /** Adds members to every record. */
  child(bindings: Readonly<Record<string, unknown>>): Logger
  /**
   * Writes an `info` record whose members are already JSON, without braces, after level, time and bindings. It is faster, for
   * the line of every request. It redacts only API keys, so the record must not contain other secrets.
   */
  writeLine(members: string): void
}

/** Names of members whose values are secrets, at any depth of a record. */
const SECRET_NAME =
  /^(proxy-)?authorization$|^(set-)?cookie$|^x-api-key$|api_?key$|^raw_?key$|(^|_)password$|^(access_?|bearer_?)?token$|secret|pepper/i

/** Deeper than any logged record; deeper members are not shown. */
const MAX_DEPTH = 8

/** Lines are written together, because a write per line would cost more than a cached response. */
const LINES_TOGETHER = 256
/** How long a line may wait for others; waiting lines are written when the process exits. */
const WRITE_MS = 100

const INFO_LEVEL = 30
const WARN_LEVEL = 40

/** Logs to standard output (or the given stream), as JSON or text. Keys and passwords are never written. */
export function createLogger(
  level: string,
  destination?: DestinationStream,
  format: 'json' | 'text' = 'json',
): Logger {
  const stream = destination === undefined ? sharedStream(format) : redacted(destination)
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${timeText()}"`,
    formatters: { log: redactObject, bindings: redactObject },
  }
  const bindingTexts = new WeakMap<PinoLogger, string>()
  // A child's prototype is its parent, so it inherits the method, and `this` is the child.
  const lines = {
    writeLine(this: PinoLogger, members: string): void {
      if (!this.isLevelEnabled('info')) return
      const known = bindingTexts.get(this)
      const bindings = known ?? bindingText(this)
      if (known === undefined) bindingTexts.set(this, bindings)
      stream.writeLater(`{"level":${INFO_LEVEL},"time":"${timeText()}",${bindings}${members}}\n`)
    },
  }
  return Object.assign(pino(options, stream), lines) as unknown as Logger // pino's type of `child` loses what was added, but a child inherits it
}

function bindingText(logger: PinoLogger): string {
  const members = JSON.stringify(logger.bindings()).slice(1, -1)
  return members === '' ? '' : `${members},`
}

let last = { ms: 0, text: '' }

/** The current time. Lines of the same millisecond share its text. */
function timeText(): string {
  const ms = Date.now()
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}

interface LineStream extends DestinationStream {
  /** For the line of every request, which may wait for other lines. */
  writeLater(line: string): void
}

function redacted(destination: DestinationStream): LineStream {
  const write = (line: string) => destination.write(redactKeys(line))
  return { write, writeLater: write }
}

let shared: LineStream | undefined

/** All loggers of the process share one output, which has a timer and a listener. The first logger decides the format. */
function sharedStream(format: 'json' | 'text'): LineStream {
  shared ??= openStream(format)
  return shared
}

function openStream(format: 'json' | 'text'): LineStream {
  const isColoured = process.stdout.isTTY && process.stdout.hasColors() // respects NO_COLOR
  const style = format === 'text' ? logText({ isColoured }) : null
  // An array would copy each line twice, so the lines are concatenated.
  let text = ''
  let lines = 0
  let isWaiting = false
  const add = (line: string) => {
    text += style === null ? line : style(line)
    lines += 1
    if (!isWaiting) setTimeout(writeWaiting, WRITE_MS).unref()
    isWaiting = true
  }
  const output = openStandardOutput({ onLost: (lost) => add(lostText(lost)) })
  const write = () => {
    if (lines === 0) return
    output.write(redactKeys(text))
    text = ''
    lines = 0
  }
  const writeWaiting = () => {
    isWaiting = false
    write()
  }
  process.on('exit', () => {
    write()
    output.end()
  })
  return {
    // Written at once, so that it is visible while the process is busy, e.g. during the start.
    write: (line) => {
      add(line)
      write()
    },
    writeLater: (line) => {
      add(line)
      if (lines >= LINES_TOGETHER) write()
    },
  }
}

function lostText(lines: number): string {
  const record = {
    level: WARN_LEVEL,
    time: timeText(),
    lost_lines: lines,
    msg: 'log lines were lost: standard output was not read',
  }
  return `${JSON.stringify(record)}\n`
}

function redactObject(record: Record<string, unknown>): Record<string, unknown> {
  return isHarmless(record) ? record : redactMembers(record, 0)
}

/** Most records contain only numbers and texts, under names that were checked before. */
function isHarmless(record: Record<string, unknown>): boolean {
  for (const name in record) {
    const value = record[name]
    if ((typeof value === 'object' && value !== null) || isSecretName(name)) return false
  }
  return true
}

const judged = new Map<string, boolean>()
/** Bounds the remembered names. Names of members come from code, so there are few. */
const MAX_JUDGED = 1_000

function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const isSecret = SECRET_NAME.test(name)
  if (judged.size < MAX_JUDGED) judged.set(name, isSecret)
  return isSecret
}

function redactMembers(record: object, depth: number): Record<string, unknown> {
  const members = Object.entries(record).map(([name, value]) => [
    name,
    isSecretName(name) ? '[redacted]' : redact(value, depth + 1),
  ])
  return Object.fromEntries(members)
}

function redact(value: unknown, depth: number): unknown {
  // Errors have their own serializers, which show message and stack.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value
  if (depth > MAX_DEPTH) return '[too deep]'
  return Array.isArray(value) ? value.map((item) => redact(item, depth + 1)) : redactMembers(value, depth)
}
