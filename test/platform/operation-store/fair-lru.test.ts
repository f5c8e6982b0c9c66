import { describe, expect, it } from 'vitest'
import { FairLru } from '../../../src/platform/operation-store/fair-lru.js'

const KIB = 1024
/** Takes 1 KiB: half a KiB of characters, and as much beside them. */
const TEXT = 'x'.repeat(256)

describe('texts of several owners', () => {
  const filled = (texts: FairLru, owner: string, count: number) => {
    for (let n = 0; n < count; n++) texts.set(`${owner}${n}`, TEXT, owner)
  }
  const keptOf = (texts: FairLru, owner: string, count: number) =>
    Array.from({ length: count }, (_, n) => n).filter((n) => texts.has(`${owner}${n}`))

  it('are bounded by bytes', () => {
    const texts = new FairLru(10 * KIB)
    filled(texts, 'a', 1_000)
    expect(texts.bytes).toBe(10 * KIB)
    expect(keptOf(texts, 'a', 1_000)).toEqual([990, 991, 992, 993, 994, 995, 996, 997, 998, 999])
  })

  it('lose the text of the least recently used owner', () => {
    const texts = new FairLru(3 * KIB)
    filled(texts, 'a', 3)
    expect(texts.get('a0')).toBe(TEXT)
    texts.set('a3', TEXT, 'a')
    expect(keptOf(texts, 'a', 4)).toEqual([0, 2, 3])
    expect(texts.get('a1')).toBeNull()
  })

  it('lose texts of the owner with the most, so that many texts of one displace none of another', () => {
    const texts = new FairLru(10 * KIB)
    filled(texts, 'small', 3)
    filled(texts, 'large', 1_000)
    expect(keptOf(texts, 'small', 3)).toEqual([0, 1, 2])
    expect(keptOf(texts, 'large', 1_000)).toHaveLength(7)
  })

  it('are stored once, by the first owner', () => {
    const texts = new FairLru(10 * KIB)
    texts.set('hash', TEXT, 'a')
    texts.set('hash', TEXT, 'b')
    expect(texts.bytes).toBe(KIB)
  })

  it('store nothing that exceeds the bound of all', () => {
    const texts = new FairLru(KIB)
    texts.set('hash', 'x'.repeat(2 * KIB), 'a')
    expect([texts.get('hash'), texts.bytes]).toEqual([null, 0])
  })
})
