import { type DestinationStream, pino } from 'pino'

export type Logger = Pick<import('pino').Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>

/** Everything that could carry a secret, wherever it appears in a log record. */
const REDACTED = [
  'authorization',
  'cookie',
  'password',
  'raw_key',
  'apiKey',
  'token',
  'secret',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
  '*.password',
  '*.raw_key',
  '*.apiKey',
  '*.token',
  '*.secret',
]

const API_KEY_TEXT = /mdg_(?:live|test)_[0-9A-Za-z_]{4,}/g

/** JSON lines on standard output (or the stream given); keys and passwords never reach it. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: REDACTED, censor: '[redacted]' },
    hooks: { streamWrite: (line: string) => line.replace(API_KEY_TEXT, 'mdg_[redacted]') },
  }
  return destination ? pino(options, destination) : pino(options)
}
