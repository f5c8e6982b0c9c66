import { describe, expect, it } from 'vitest'
import { fileChunks, OpenFiles } from '../../../src/gateway/rest/release-files/open-files.js'

const streamOf = (...texts: readonly string[]) => new Blob(texts.map((text) => text)).stream()

describe('open files', () => {
  it('are limited per caller and in all, and are free again when they end', () => {
    const files = new OpenFiles({ inAll: 3, perCaller: 2 })
    const ends = [files.begin('a'), files.begin('a')]
    expect(() => files.begin('a')).toThrow('You are downloading 2 files')
    ends.push(files.begin('b'))
    expect(() => files.begin('c')).toThrow('Too many files are being downloaded')
    for (const end of ends) end()
    expect(() => files.begin('a')).not.toThrow()
  })

  it('are closed once: at the end, when the reader stops, and when the client leaves before the first chunk', async () => {
    const closed: string[] = []
    const client = new AbortController()
    const open = (name: string) =>
      fileChunks(streamOf('ab', 'cd'), {
        length: 4,
        signal: client.signal,
        close: () => void closed.push(name),
      })
    const read: Uint8Array[] = []
    for await (const chunk of open('read')) read.push(chunk)
    expect(Buffer.concat(read).toString()).toBe('abcd')
    for await (const _chunk of open('stopped')) break
    open('never read')
    expect(closed).toEqual(['read', 'stopped'])
    client.abort()
    expect(closed).toEqual(['read', 'stopped', 'never read'])
  })

  it('fail where they have fewer bytes than promised', async () => {
    let isClosed = false
    const close = () => {
      isClosed = true
    }
    const chunks = fileChunks(streamOf('ab'), { length: 4, signal: new AbortController().signal, close })
    const readAll = async () => {
      for await (const _chunk of chunks);
    }
    await expect(readAll()).rejects.toThrow('has 2 of 4 bytes')
    expect(isClosed).toBe(true)
  })
})
