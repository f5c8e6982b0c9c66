import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CASES } from '../../../scripts/bench/shared/cases/cases.js'
import { parseOptions } from '../../../scripts/bench/shared/options.js'

describe('options of the benchmark', () => {
  let checkout: string

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), 'mdg-checkout-'))
    mkdirSync(join(checkout, 'dist'))
    writeFileSync(join(checkout, 'dist/main.js'), '')
  })
  afterAll(() => rmSync(checkout, { recursive: true }))

  const parse = (argv: readonly string[], isInstalled = false) => parseOptions(argv, {}, isInstalled)

  it('accept several builds and several Node.js', () => {
    const { checkouts, nodes } = parse([
      ...['--gateway', `before=${checkout}`, '--gateway', `older=${checkout}`],
      ...['--node', `same=${process.execPath}`],
    ])
    expect(checkouts).toEqual([
      { label: 'before', directory: checkout },
      { label: 'older', directory: checkout },
    ])
    expect(nodes.map(({ label, version }) => [label, version])).toEqual([
      [null, process.version],
      ['same', process.version],
    ])
  })

  it.each([
    ['a build without a label', ['--gateway', '/somewhere'], 'must be label=checkout'],
    ['a build that is not compiled', ['--gateway', 'before=/nowhere'], 'run npm install in /nowhere'],
    ['a Node.js without a label', ['--node', '/usr/bin/node'], 'must be label=path'],
    ['a program that is no Node.js', ['--node', 'x=/bin/true'], '/bin/true is not Node.js'],
    ['an unknown contender', ['--contenders', 'gateway'], 'unknown name gateway'],
    ['contenders that are not installed', ['--contenders', 'apollo'], 'add --install'],
    ['no rounds', ['--rounds', '0'], 'above zero'],
  ])('refuse %s', (_name, argv, message) => {
    expect(() => parse(argv)).toThrow(message)
  })

  it('refuse a repeated label, and one Redis for two databases', () => {
    expect(() => parse(['--gateway', `fastify=${checkout}`])).toThrow('name of another contender')
    expect(() => parse(['--gateway', `a=${checkout}`, '--gateway', `a=${checkout}`])).toThrow('another')
    expect(() => parse(['--redis', '--gateway', `before=${checkout}`])).toThrow('--redis')
  })

  it('leave out missing programs, unless they are named', () => {
    expect(parse([]).contenders).not.toContain('mercurius')
    expect(parse([], true).contenders).toContain('mercurius')
    expect(parse(['--install']).contenders).toContain('mercurius')
  })
})

describe('cases of the benchmark', () => {
  it('have 2,000 different paths in the one of many', () => {
    const many = CASES.find(({ name }) => name === 'rest-many-urls')
    expect(new Set(many?.paths).size).toBe(2_000)
  })
})
