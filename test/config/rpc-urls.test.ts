import { describe, expect, it } from 'vitest'
import { parseRpcUrls } from '../../src/config/rpc-urls.js'

describe('parseRpcUrls', () => {
  it('reads the addresses of each chain in their order, and no other variable', () => {
    const { urls, faults } = parseRpcUrls({
      RPC_URLS_1: 'https://a.example/v1/key, http://127.0.0.1:8545',
      RPC_URLS_42161: 'https://b.example',
      RPC_URLS_10: '',
      RPC_URLS_8453: undefined,
      RPC_URL: 'https://c.example',
    })
    expect(faults).toEqual([])
    expect([...urls]).toEqual([
      [1, ['https://a.example/v1/key', 'http://127.0.0.1:8545']],
      [42_161, ['https://b.example']],
    ])
  })

  it.each([
    ['RPC_URLS_ETH', 'https://a.example', 'must end with a chain id'],
    ['RPC_URLS_0', 'https://a.example', 'must end with a chain id'],
    ['RPC_URLS_99999999999', 'https://a.example', 'must end with a chain id'],
    ['RPC_URLS_1', 'ws://a.example', 'must be http or https addresses by comma'],
    ['RPC_URLS_1', 'https://a.example,', 'must be http or https addresses by comma'],
    ['RPC_URLS_1', 'secret-key', 'must be http or https addresses by comma'],
    [
      'RPC_URLS_1',
      Array.from({ length: 6 }, () => 'https://a.example').join(),
      'must have at most 5 addresses',
    ],
  ])('says what is wrong with %s=%s, and does not show the address', (name, text, reason) => {
    const { urls, faults } = parseRpcUrls({ [name]: text })
    expect([...urls]).toEqual([])
    expect(faults).toEqual([expect.stringContaining(`${name}: ${reason}`)])
    expect(faults[0]).not.toContain('secret-key')
  })
})
