import { describe, expect, it } from 'vitest'
import { LineBuffer } from '../../src/platform/line-buffer.js'

const SIZE = 60

function collected(): {
  readonly buffer: LineBuffer
  readonly given: Buffer[]
  readonly texts: () => string[]
} {
  const given: Buffer[] = []
  const buffer = new LineBuffer(SIZE, (bytes) => given.push(bytes))
  return { buffer, given, texts: () => given.map((bytes) => bytes.toString()) }
}

describe('LineBuffer', () => {
  it('gives lines out together when it is flushed, and nothing twice', () => {
    const { buffer, texts } = collected()
    buffer.add('one\n')
    buffer.add('two €\n')
    expect(texts()).toEqual([])
    buffer.flush()
    buffer.flush()
    expect(texts()).toEqual(['one\ntwo €\n'])
  })

  it('gives out what it holds before a line that might not fit', () => {
    const { buffer, texts } = collected()
    buffer.add(`${'a'.repeat(15)}\n`)
    buffer.add(`${'b'.repeat(15)}\n`)
    expect(texts()).toEqual([`${'a'.repeat(15)}\n`])
    buffer.flush()
    expect(texts()).toEqual([`${'a'.repeat(15)}\n`, `${'b'.repeat(15)}\n`])
  })

  it('gives a line longer than itself out whole, after what came before it', () => {
    const { buffer, texts } = collected()
    const long = `${'€'.repeat(SIZE)}\n`
    buffer.add('short\n')
    buffer.add(long)
    buffer.add('after\n')
    buffer.flush()
    expect(texts()).toEqual(['short\n', long, 'after\n'])
  })

  it('leaves what it gave out as it was', () => {
    const { buffer, given } = collected()
    buffer.add('first\n')
    buffer.flush()
    buffer.add('other\n')
    buffer.flush()
    expect(given[0]?.toString()).toBe('first\n')
  })
})
