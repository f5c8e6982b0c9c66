import { Unzip, UnzipInflate } from 'fflate'
import { BrokenBody } from '../../feed.js'

/** Bytes unpacked at a time: even at a ratio of 1,000 this is less than 20 MB. */
const PUSH_BYTES = 16 * 1024

/** The largest bulk file has a few gigabytes; a larger archive is a zip bomb. */
const MAX_UNZIPPED_BYTES = 8 * 1024 ** 3

/** Unpacks the one CSV of an archive as a stream. Other bodies pass unchanged. */
export async function* unzipped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let archive: Archive | null = null
  let isFirst = true
  for await (const chunk of body) {
    if (chunk.length === 0) continue
    if (isFirst && chunk[0] === 0x50 && chunk[1] === 0x4b) archive = new Archive()
    isFirst = false
    if (archive === null) yield chunk
    else
      for (let at = 0; at < chunk.length; at += PUSH_BYTES)
        yield* archive.push(chunk.subarray(at, at + PUSH_BYTES))
  }
  archive?.end()
}

class Archive {
  readonly #unzip = new Unzip()
  #out: Uint8Array[] = []
  #bytes = 0
  #files = 0
  #isComplete = false
  #error: Error | null = null

  constructor() {
    this.#unzip.register(UnzipInflate)
    this.#unzip.onfile = (file) => {
      if (!file.name.toLowerCase().endsWith('.csv')) return
      this.#files += 1
      if (this.#files > 1) return
      file.ondata = (error, data, isLast) => {
        this.#error ??= error
        this.#out.push(data)
        this.#isComplete = isLast
      }
      file.start()
    }
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    try {
      this.#unzip.push(chunk)
    } catch (error) {
      throw new BrokenBody('the archive is damaged', { cause: error })
    }
    if (this.#error !== null) throw new BrokenBody('the archive is damaged', { cause: this.#error })
    const out = this.#out
    this.#out = []
    for (const data of out) {
      this.#bytes += data.length
      if (this.#bytes > MAX_UNZIPPED_BYTES) throw new BrokenBody('the file in the archive is too large')
      yield data
    }
  }

  end(): void {
    if (this.#files !== 1) {
      throw new BrokenBody(`the archive holds ${this.#files} CSV files, not one`)
    }
    if (!this.#isComplete) throw new BrokenBody('the archive is cut off')
  }
}
