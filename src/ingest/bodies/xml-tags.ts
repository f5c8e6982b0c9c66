import { SaxesParser, type SaxesTagNS } from 'saxes'
import { BrokenBody, NotInFormat, quoted } from '../feed.js'

/** A tag of an XML body. Names have no prefix; `namespace` is empty for a tag without one. */
export type XmlTag =
  | {
      readonly kind: 'open'
      readonly name: string
      readonly namespace: string
      /** The text between the previous tag and this one. */
      readonly textBefore: string
      attribute(name: string): string | null
    }
  /** `text` is the content of an element without children; otherwise the text after its last child. */
  | { readonly kind: 'close'; readonly name: string; readonly text: string }
  /** The body ended before its root was closed. */
  | { readonly kind: 'cut' }

/** Messages of providers have about ten levels. */
const MAX_DEPTH = 50

/** A longer text without a tag is one tag that was never closed. */
const MAX_BETWEEN_TAGS = 1024 * 1024

/** What a body may have in addition to plain XML in UTF-8. */
export interface XmlLeniency {
  /** Named characters other than the five of XML. */
  readonly entities: ReadonlyMap<string, string>
}

/** The declaration is at the start of a body and is short. */
const MAX_DECLARATION_BYTES = 256

/**
 * Yields the tags of an XML body as they arrive. Memory holds one chunk and one tag. Throws BrokenBody for
 * malformed XML, for an encoding other than UTF-8, and for a document type, because entities are never read or
 * fetched. A leniency also accepts named characters of HTML, an empty document type, and any encoding that extends
 * ASCII.
 */
export async function* xmlTags(
  chunks: AsyncIterable<Uint8Array>,
  leniency: XmlLeniency | null = null,
): AsyncGenerator<XmlTag> {
  const reader = new TagReader(leniency)
  let decoder: TextDecoder | null = null
  for await (const chunk of withWholeDeclaration(chunks)) {
    decoder ??= decoderOf(leniency === null ? 'utf-8' : encodingOf(chunk))
    yield* reader.read(decoded(decoder, chunk))
  }
  // The rest of a character that was cut off is dropped.
  if (decoder !== null) yield* reader.read(decoded(decoder, null))
  yield* reader.end()
}

/** The tags of a whole body, without a leniency. See `xmlTags`. */
export function* xmlTagsOf(body: Uint8Array): Generator<XmlTag> {
  const reader = new TagReader(null)
  yield* reader.read(decoded(decoderOf('utf-8'), body))
  yield* reader.end()
}

async function* withWholeDeclaration(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < MAX_DECLARATION_BYTES && !head.includes('?>')) continue
    yield head
    head = null
  }
  if (head !== null) yield head
}

function encodingOf(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, MAX_DECLARATION_BYTES)).toString('latin1')
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(text)?.[1] ?? 'utf-8'
}

function decoderOf(encoding: string): TextDecoder {
  // A declaration that could be read as ASCII is not UTF-16.
  const isKnown = !/^utf-?16|^ucs|^unicode|^iso-10646/i.test(encoding)
  try {
    if (isKnown) return new TextDecoder(encoding, { fatal: true })
  } catch {
    // No decoder knows the encoding.
  }
  throw new BrokenBody(`the body is in ${quoted(encoding)}, which is not supported; it must be in UTF-8`)
}

/** Null flushes the rest. */
function decoded(decoder: TextDecoder, chunk: Uint8Array | null): string {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new NotInFormat(`the body is not ${decoder.encoding.toUpperCase()} text`, { cause })
  }
}

class TagReader {
  readonly #parser = new SaxesParser({ xmlns: true })
  #tags: XmlTag[] = []
  #depth = 0
  #isBegun = false
  #sinceTag = 0
  /** Characters since the last tag. */
  #text = ''

  constructor(leniency: XmlLeniency | null) {
    this.#parser.on('xmldecl', ({ encoding }) => {
      if (leniency === null && encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
        throw new BrokenBody(`the body is in ${quoted(encoding)}, not in UTF-8`)
      }
    })
    this.#parser.on('doctype', (text) => {
      if (leniency === null) throw new BrokenBody('the body has a document type, which is not allowed')
      if (text.includes('['))
        throw new BrokenBody('the body has a document type with definitions, which is not allowed')
    })
    for (const [name, character] of leniency?.entities ?? []) this.#parser.ENTITIES[name] ??= character
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

  /** The tags before an error are yielded first, because they show what kind of document it is. */
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
      return new BrokenBody(`the body is not XML from line ${this.#parser.line} on`, { cause })
    }
  }

  end(): readonly XmlTag[] {
    if (!this.#isBegun) throw new NotInFormat('the body is not XML')
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
