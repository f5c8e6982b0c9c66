import { describe, expect, it } from 'vitest'
import { type Figures, pairsOf, ratiosOf } from '../../../scripts/bench/compare/ratios.js'
import { contendersOf } from '../../../scripts/bench/shared/contenders.js'
import type { Gateway } from '../../../scripts/bench/shared/gateways.js'
import { OWN_NODE } from '../../../scripts/bench/shared/nodes.js'

function gateway(label: string): Gateway {
  const world = {
    databaseUrl: 'postgresql://postgres@127.0.0.1:5432/none',
    apiKey: '',
    backendPid: 0,
    serverVersion: '15',
    secrets: {},
    drop: async () => {},
  }
  return { label, script: `${label}/dist/main.js`, world }
}

const NODE_24 = { label: '24', path: '/opt/24/bin/node', version: 'v24.0.0' }
const BUILDS = [gateway('gateway'), gateway('before')]

const names = (contenders: readonly { readonly name: string }[]) => contenders.map(({ name }) => name)

describe('contenders', () => {
  it('include each kind once, and those of the gateway once per build', () => {
    const contenders = contendersOf(['bare', 'gateway-cold', 'gateway-304'], BUILDS, [OWN_NODE])
    expect(names(contenders)).toEqual(['bare', 'gateway-cold', 'before-cold', 'gateway-304', 'before-304'])
    expect(contenders.map(({ server }) => server.name)).toEqual([
      'bare',
      'gateway-cold',
      'before-cold',
      'gateway-warm',
      'before-warm',
    ])
  })

  it('run under every Node.js', () => {
    const contenders = contendersOf(['fastify', 'gateway-warm'], [gateway('gateway')], [OWN_NODE, NODE_24])
    expect(names(contenders)).toEqual(['fastify', 'gateway-warm', 'fastify@24', 'gateway-warm@24'])
    expect(contenders[3]?.server.node.path).toBe(NODE_24.path)
  })

  it('leave out PostGraphile under a Node.js that is too old for it', () => {
    const node20 = { label: '20', path: '/opt/20/bin/node', version: 'v20.19.0' }
    expect(names(contendersOf(['postgraphile', 'apollo'], BUILDS, [node20, NODE_24]))).toEqual([
      'apollo@20',
      'postgraphile@24',
      'apollo@24',
    ])
  })
})

describe('ratios', () => {
  const contenders = contendersOf(['bare', 'fastify', 'gateway-cold', 'gateway-warm'], BUILDS, [
    OWN_NODE,
    NODE_24,
  ])
  const measured = (name: string, requestsPerSecond: number, cpu: number | null): Figures => ({
    name,
    requestsPerSecond,
    cpuMicrosecondsPerRequest: cpu,
  })

  it('compare under the same Node.js, and this build with the others', () => {
    const pairs = pairsOf(contenders).map(([of, to]) => `${of} / ${to}`)
    expect(pairs).toContain('gateway-cold / fastify')
    expect(pairs).toContain('before-cold@24 / fastify@24')
    expect(pairs).toContain('gateway-warm@24 / before-warm@24')
    expect(pairs).not.toContain('before-warm / gateway-warm')
    expect(pairs).not.toContain('gateway-warm@24 / bare')
    expect(pairs).not.toContain('gateway-cold / bare')
  })

  it('by CPU time are above 1 for the contender that needs less, whatever the rates are', () => {
    const figures = [measured('a', 900, 50), measured('b', 1_000, 75)]
    expect(ratiosOf([['a', 'b']], figures)).toEqual({ 'a / b': { cpu: 1.5, requestsPerSecond: 0.9 } })
  })

  it('by CPU time are unknown if one time is, and none is given without a measurement', () => {
    const figures = [measured('a', 900, 50), measured('b', 1_000, null)]
    const pairs = [
      ['a', 'b'],
      ['a', 'c'],
    ] as const
    expect(ratiosOf(pairs, figures)).toEqual({ 'a / b': { cpu: null, requestsPerSecond: 0.9 } })
  })
})
