import { SaxesParser, type SaxesTagNS } from 'saxes'
import { BrokenBody, quoted } from '../feed.js'

/** A tag of an XML body; names are without their prefix, `namespace` is empty for none. */
export type XmlTag =
  | {
      readonly kind: 'open'
      readonly name: string
      readonly namespace: string
      /** Between the tag before this one and this one. */
      readonly textBefore: string
      attribute(name: string): string | null
    }
  /** `text`: what is between the tags of an element without others in it; with others, what comes after them. */
  | { readonly kind: 'close'; readonly name: string; readonly text: string }
  /** The body ended before its root was closed. */
  | { readonly kind: 'cut' }

/** Messages of providers are some ten levels deep. */
const MAX_DEPTH = 50

/** Longer without a tag is no message but one tag that never ends. */
const MAX_BETWEEN_TAGS = 1024 * 1024

/**
 * The tags of an XML body in UTF-8 as they arrive; what is held is one chunk and one tag. Throws BrokenBody for anything
 * that is not well formed, and for a document type: entities are neither read nor fetched.
 */
export async function* xmlTags(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<XmlTag> {
  const reader = new TagReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) yield* reader.read(decoded(() => decoder.decode(chunk, { stream: true })))
  // What is left of a character that was cut off is none.
  yield* reader.read(decoded(() => decoder.decode()))
  yield* reader.end()
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch (cause) {
    throw new BrokenBody('the body is not UTF-8 text', { cause })
  }
}

class TagReader {
  readonly #parser = new SaxesParser({ xmlns: true })
  #tags: XmlTag[] = []
  #depth = 0
  #isBegun = false
  #sinceTag = 0
  /** Since the last tag. */
  #text = ''

  constructor() {
    this.#parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
        throw new BrokenBody(`the body is in ${quoted(encoding)}, not in UTF-8`)
      }
    })
    this.#parser.on('doctype', () => {
      throw new BrokenBody('the body has a document type, which no message has')
    })
    this.#parser.on('opentag', (tag) => this.#open(tag))
    this.#parser.on('text', (text) => {
      this.#text += text
    })
    this.#parser.on('cdata', (text) => {
      this.#text += text
    })
    this.#parser.on('closetag', ({ local }) => {
      this.#depth -= 1
      this.#add({ kind: 'close', name: local, text: this.#text })
      this.#text = ''
    })
  }

  /** What came before a fault is given first: it tells what kind of document it is. */
  *read(text: string): Generator<XmlTag> {
    this.#sinceTag += text.length
    const fault = this.#write(text)
    const tags = this.#tags
    this.#tags = []
    yield* tags
    if (fault !== null) throw fault
    if (this.#sinceTag > MAX_BETWEEN_TAGS) throw new BrokenBody('a tag is opened and never closed')
  }

  #write(text: string): BrokenBody | null {
    try {
      this.#parser.write(text)
      return null
    } catch (cause) {
      if (cause instanceof BrokenBody) return cause
      return new BrokenBody(`the body is no XML from line ${this.#parser.line} on`, { cause })
    }
  }

  end(): readonly XmlTag[] {
    if (!this.#isBegun) throw new BrokenBody('the body is no XML')
    return this.#depth > 0 ? [{ kind: 'cut' }] : []
  }

  #open({ local, uri, attributes }: SaxesTagNS): void {
    this.#isBegun = true
    const textBefore = this.#text
    this.#text = ''
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new BrokenBody('the body is nested too deeply')
    const attribute = (name: string) => attributes[name]?.value ?? null
    this.#add({ kind: 'open', name: local, namespace: uri, textBefore, attribute })
  }

  #add(tag: XmlTag): void {
    this.#sinceTag = 0
    this.#tags.push(tag)
  }
}
