import { format } from 'node:util'
import type { Logger } from './logger.js'

/**
 * Writes what libraries print by `console`, and warnings of Node.js, to the log. Without this, programs that read a log of JSON lines
 * get lines that they cannot parse.
 */
export function logForeignLines(log: Pick<Logger, 'info' | 'warn'>): void {
  const info = (...args: readonly unknown[]) => log.info({ output: format(...args) }, 'a library printed')
  const warn = (...args: readonly unknown[]) => log.warn({ output: format(...args) }, 'a library printed')
  Object.assign(console, { log: info, info, debug: info, warn, error: warn, trace: warn })
  // The listener of Node.js prints text.
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.warn({ warning: name, reason: message }, 'Node.js warns'))
}
