import { describe, expect, it } from 'vitest'
import { KNOWN_CHAINS } from '../../../src/domains/onchain/known-chains-model.js'
import { CHAINS } from '../../../src/domains/onchain/model.js'

describe('the known chains', () => {
  it('are 30, each slug and EIP-155 id once', () => {
    const ids = KNOWN_CHAINS.flatMap(({ evmChainId }) => evmChainId ?? [])
    expect(KNOWN_CHAINS).toHaveLength(30)
    expect(new Set(KNOWN_CHAINS.map(({ slug }) => slug)).size).toBe(30)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { slug } of KNOWN_CHAINS) expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/)
  })

  it('settle on chains that do not settle elsewhere', () => {
    const layer2 = KNOWN_CHAINS.filter(({ parentSlug }) => parentSlug !== null)
    expect(layer2.map(({ slug }) => slug)).toEqual([
      'arbitrum',
      'optimism',
      'base',
      'linea',
      'zksync-era',
      'starknet',
    ])
    const parents = layer2.map(({ parentSlug }) => KNOWN_CHAINS.find(({ slug }) => slug === parentSlug))
    for (const parent of parents) expect(parent).toMatchObject({ slug: 'ethereum', parentSlug: null })
  })

  it('include those whose addresses are served', () => {
    expect(CHAINS).toEqual([
      { chainId: 1, name: 'Ethereum', nativeCurrency: 'ETH' },
      { chainId: 56, name: 'BSC', nativeCurrency: 'BNB' },
      { chainId: 137, name: 'Polygon', nativeCurrency: 'POL' },
      { chainId: 42_161, name: 'Arbitrum', nativeCurrency: 'ETH' },
      { chainId: 10, name: 'Optimism', nativeCurrency: 'ETH' },
      { chainId: 8_453, name: 'Base', nativeCurrency: 'ETH' },
    ])
  })
})
