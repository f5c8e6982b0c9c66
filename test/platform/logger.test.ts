import { describe, expect, it } from 'vitest'
import { createLogger, type Logger } from '../../src/platform/logger.js'

const KEY = `mdg_live_${'aB3'.repeat(10)}_0AbC12`

function recorded(level = 'info'): { log: Logger; lines: string[]; last: () => Record<string, unknown> } {
  const lines: string[] = []
  const log = createLogger(level, { write: (line: string) => void lines.push(line) })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> }
}

describe('createLogger', () => {
  it('writes one JSON line with time, level, fields and message, without the name of the machine', () => {
    const { log, lines, last } = recorded()
    log.info({ units: 3 }, 'request')
    expect(lines).toHaveLength(1)
    expect(lines[0]?.endsWith('}\n')).toBe(true)
    expect(Object.keys(last())).toEqual(['level', 'time', 'units', 'msg'])
    expect(last()).toMatchObject({ level: 30, units: 3, msg: 'request' })
    expect(Date.parse(String(last().time))).toBeGreaterThan(Date.parse('2020-01-01'))
  })

  it('listens once for the end of the process, for any number of loggers on its output', () => {
    createLogger('silent')
    const before = process.listenerCount('exit')
    for (let n = 0; n < 20; n++) createLogger('silent')
    expect(process.listenerCount('exit')).toBe(before)
  })

  it.each(['authorization', 'cookie', 'password', 'raw_key', 'apiKey', 'token', 'secret'])(
    'hides the field %s',
    (field) => {
      const { log, last } = recorded()
      log.info({ [field]: 'hunter2', other: 'kept' }, 'x')
      expect(last()).toMatchObject({ [field]: '[redacted]', other: 'kept' })
    },
  )

  it.each(['password', 'raw_key', 'apiKey', 'token', 'secret'])('hides %s inside an object', (field) => {
    const { log, last } = recorded()
    log.info({ body: { [field]: 'hunter2', email: 'a@b.example' } }, 'x')
    expect(last().body).toEqual({ [field]: '[redacted]', email: 'a@b.example' })
  })

  it('hides the headers that carry credentials', () => {
    const { log, last } = recorded()
    const headers = { authorization: 'Bearer t', cookie: 'c', 'x-api-key': 'k', accept: 'text/html' }
    log.info({ headers }, 'x')
    expect(last().headers).toEqual({
      authorization: '[redacted]',
      cookie: '[redacted]',
      'x-api-key': '[redacted]',
      accept: 'text/html',
    })
  })

  it('hides an API key everywhere: message, any field, any depth, errors, child loggers', () => {
    const { log, lines } = recorded()
    log.info(`key ${KEY} was used`)
    log.info({ path: `/v1/assets?key=${KEY}`, deep: { deeper: { list: [KEY] } } }, 'x')
    log.error({ err: new Error(`bad ${KEY}`, { cause: new Error(KEY) }) }, 'failed')
    log.child({ caller: KEY }).warn({ [KEY]: 1 }, 'x')
    log.info({ cut: KEY.slice(0, 20) }, 'a part of one')
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      expect(line).toContain('mdg_[redacted]')
      expect(line).not.toContain('aB3a')
      expect(() => JSON.parse(line)).not.toThrow()
    }
  })

  it('keeps texts that only look like one', () => {
    const { log, last } = recorded()
    log.info({ name: 'mdg_test_', token_count: 7, passwords: 2 }, 'mdg')
    expect(last()).toMatchObject({ name: 'mdg_test_', token_count: 7, passwords: 2, msg: 'mdg' })
  })

  it('writes an error with its stack and cause', () => {
    const { log, last } = recorded()
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
    const err = last().err as { message: string; stack: string } // pino's own shape, asserted here
    expect(err.message).toContain('outer')
    expect(err.stack).toContain('inner')
  })

  it('omits lines below its level, and everything when silent', () => {
    const quiet = recorded('warn')
    quiet.log.info('no')
    quiet.log.warn('yes')
    expect(quiet.lines).toHaveLength(1)
    const silent = recorded('silent')
    silent.log.fatal('no')
    expect(silent.lines).toEqual([])
  })
})
