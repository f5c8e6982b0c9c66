import { afterEach, beforeEach, expect, it } from 'vitest'
import { logForeignLines } from '../../src/platform/foreign-lines.js'
import { createLogger } from '../../src/platform/logger.js'

const own = { ...console }
let warningListeners: readonly NodeJS.WarningListener[] = []
beforeEach(() => {
  warningListeners = process.listeners('warning') as NodeJS.WarningListener[] // of this event
})
afterEach(() => {
  Object.assign(console, own)
  process.removeAllListeners('warning')
  for (const listener of warningListeners) process.on('warning', listener)
})

it('writes what libraries print and warnings of Node.js as lines of the log', async () => {
  const lines: string[] = []
  logForeignLines(createLogger('info', { write: (text) => lines.push(text) }))
  const { log, error } = console
  log('prisma:info %s', 'Starting')
  error(new Error('a plugin failed').message)
  process.emitWarning('it is old', 'DeprecationWarning')
  await new Promise((resolve) => setImmediate(resolve))
  const records = lines.join('').trim().split('\n')
  expect(records.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, msg: 'a library printed', output: 'prisma:info Starting' },
    { level: 40, msg: 'a library printed', output: 'a plugin failed' },
    { level: 40, msg: 'Node.js warns', warning: 'DeprecationWarning', reason: 'it is old' },
  ])
})
