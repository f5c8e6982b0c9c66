import { join } from 'node:path'
import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { DocumentCache } from '../../../src/gateway/graphql/documents/document-cache.js'
import { startChild } from '../../support/processes/child.js'

const MIB = 2 ** 20

describe('the memory of documents', () => {
  it('is less than 80 MB for 8,000 different ones of up to 240 kB, with and without a key, 800 of them compiled', async () => {
    const child = await startChild(join(import.meta.dirname, 'children/prepare-documents.ts'), ['8000'])
    const { grown, grownAtMost } = JSON.parse(await child.line()) as { grown: number; grownAtMost: number }
    // All caches are full after hundreds. Measured: 5 to 10 MB; 3 kB kept of each would be found.
    expect(grown).toBeLessThan(30e6)
    expect(grownAtMost).toBeLessThan(80e6)
  }, 600_000)
})

describe('the cache of documents', () => {
  const numbered = (n: number) => `{ a${n} ${'b '.repeat(500)}}`

  it('is bounded by bytes, and drops the least recently used', () => {
    const cache = new DocumentCache(4 * MIB)
    for (let n = 0; n < 200; n++) cache.set(numbered(n), parse(numbered(n)), false)
    expect(cache.bytes).toBeLessThanOrEqual(4 * MIB)
    expect(cache.get(numbered(199), false)).not.toBeNull()
    expect(cache.get(numbered(0), false)).toBeNull()
  })

  it('counts comments, whose tokens the tree keeps', () => {
    const cache = new DocumentCache(16 * MIB)
    const text = `{ a }\n${'#\n'.repeat(10_000)}`
    cache.set(text, parse(text), false)
    expect(cache.bytes).toBeGreaterThan(10_000 * 500)
  })

  it('stores no text above 32 kB', () => {
    const cache = new DocumentCache()
    const text = `{ a }${' '.repeat(32 * 1024)}`
    cache.set(text, parse(text), false)
    expect([cache.get(text, false), cache.bytes]).toEqual([null, 0])
  })

  it('gives callers without a key a separate part, which displaces no documents of callers with a key', () => {
    const cache = new DocumentCache(4 * MIB)
    cache.set(numbered(0), parse(numbered(0)), false)
    for (let n = 1; n < 200; n++) cache.set(numbered(n), parse(numbered(n)), true)
    expect(cache.get(numbered(0), false)).not.toBeNull()
    expect(cache.get(numbered(0), true)).not.toBeNull()
    expect(cache.get(numbered(199), true)).not.toBeNull()
    expect(cache.get(numbered(199), false)).toBeNull()
  })
})
