import { describe, expect, it } from 'vitest'
import { keccak256Hex } from '../../src/core/keccak.js'

describe('keccak256Hex', () => {
  // Known answers of the Keccak team and of Ethereum; the last two fill a block exactly and go one byte beyond.
  it.each([
    ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
    ['testing', '5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02'],
    ['Transfer(address,address,uint256)', 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
    ['totalSupply()', '18160ddd7f15c72528c2f94fd8dfe3c8d5aa26e2c50c7d81f4bc7bee8d4b7932'],
  ])('of %j is the published hash', (text, hash) => {
    expect(keccak256Hex(text)).toBe(hash)
  })

  it('takes texts of one block, of one byte less and of more blocks for different ones', () => {
    const hashes = [135, 136, 137, 272, 300].map((length) => keccak256Hex('a'.repeat(length)))
    expect(new Set(hashes).size).toBe(5)
    // Known from other implementations: 136 bytes take a block of padding of their own.
    expect(hashes[0]).toBe('34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446')
    expect(hashes[1]).toBe('a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e')
  })
})
