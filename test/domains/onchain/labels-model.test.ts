import { describe, expect, it } from 'vitest'
import { explainEvmAddress, parseEvmAddress } from '../../../src/core/identifiers.js'
import { addressLabel, LABELLED_ADDRESSES } from '../../../src/domains/onchain/labels-model.js'
import { CHAINS } from '../../../src/domains/onchain/model.js'
import { contractOf } from '../../../src/ingest/providers/reference/assets.js'

describe('the catalogue of labels', () => {
  it('has each address of a chain once, and some on every chain', () => {
    const keys = LABELLED_ADDRESSES.map(({ chainId, address }) => `${chainId} ${address}`)
    expect(new Set(keys).size).toBe(keys.length)
    for (const { chainId } of CHAINS)
      expect(LABELLED_ADDRESSES.filter((one) => one.chainId === chainId).length).toBeGreaterThan(10)
  })

  it('refuses an address with a wrong checksum letter', () => {
    expect(explainEvmAddress('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')).toBeNull()
    expect(explainEvmAddress('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49')).toContain('EIP-55')
  })

  it.each([
    ['chainlink', 1, 'LINK token'],
    ['uniswap', 1, 'UNI token'],
    ['arbitrum', 42_161, 'ARB token'],
    ['optimism', 10, 'OP token'],
  ])('agrees with the contract of %s in the reference', (slug, chainId, label) => {
    const address = parseEvmAddress(contractOf(slug)?.address ?? '') ?? expect.fail('no contract')
    expect(addressLabel({ chainId, address })).toBe(label)
  })

  it('knows an address only on its own chains', () => {
    const usdc = parseEvmAddress('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48') ?? expect.fail('no address')
    expect(CHAINS.map(({ chainId }) => addressLabel({ chainId, address: usdc }))).toEqual([
      'USDC token',
      ...Array(5).fill(null),
    ])
  })
})
