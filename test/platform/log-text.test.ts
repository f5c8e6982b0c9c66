import { describe, expect, it } from 'vitest'
import { logText } from '../../src/platform/log-text.js'
import { createLogger } from '../../src/platform/logger.js'

/** What the logger writes, as a person at a terminal sees it. */
function shown(isColoured = false) {
  const lines: string[] = []
  const style = logText({ isColoured })
  const log = createLogger('debug', { write: (line: string) => void lines.push(style(line)) })
  return { log, lines }
}

describe('logText', () => {
  it('shows time of day, level, message and members in one line', () => {
    const { log, lines } = shown()
    log.info({ port: 4000, database: 'pglite', path: 'a b', none: null }, 'listening')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}listening port=4000 database=pglite path="a b" none=null\n$/,
    )
  })

  it('shows the line of a request', () => {
    const { log, lines } = shown()
    log.child({ worker: 2 }).writeLine('"status":200,"path":"/v1/assets"')
    expect(lines[0]).toMatch(/^\S+ INFO {2}worker=2 status=200 path=\/v1\/assets\n$/)
  })

  it('shows the stack of an error below, indented', () => {
    const { log, lines } = shown()
    log.error({ err: new Error('it broke') }, 'request failed')
    const [first, second, third] = (lines[0] ?? '').split('\n')
    expect(first).toMatch(/ ERROR request failed$/)
    expect(second).toBe('    Error: it broke')
    expect(third).toMatch(/^ {8}at /)
    expect(lines[0]?.endsWith('\n')).toBe(true)
  })

  it('colours the level where the terminal can', () => {
    const { log, lines } = shown(true)
    log.warn('look')
    expect(lines[0]).toContain('\u001b[33mWARN \u001b[0m look')
  })

  it('removes control characters of a message', () => {
    const { log, lines } = shown()
    log.info({ path: '/\u001b[2J' }, 'request\u001b[2J\nINFO forged')
    expect(lines[0]).not.toContain('\u001b')
    expect(lines[0]?.match(/\n/g)).toHaveLength(1)
  })
})
