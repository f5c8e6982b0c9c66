/** Reserved words of Python that are used as names in the documents, or might be. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield self'
  ).split(' '),
)

/** Longest line of generated text, without its indentation. */
const WIDTH = 100

export function isReserved(name: string): boolean {
  return RESERVED.has(name)
}

/** A name of the document as a name in Python: `from` becomes `from_`. */
export function pythonName(name: string): string {
  return isReserved(name) ? `${name}_` : name
}

/** Each word with a capital: `asset_index` becomes `AssetIndex`. */
export function typeNameOf(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** A text literal. JSON's escapes are Python's, for texts without lone surrogates. */
export function literal(value: string): string {
  return JSON.stringify(value)
}

/** A tuple of literals: `("data",)`. */
export function tuple(values: readonly string[]): string {
  return `(${values.map((value) => `${value},`).join(' ')})`
}

/** A docstring of paragraphs, whose lines are wrapped. */
export function docstring(paragraphs: readonly string[], indent: string): string {
  const texts = paragraphs.flatMap((text) => text.split(/\n{2,}/)).map((text) => text.trim())
  const lines = texts.filter((text) => text !== '').flatMap((text) => ['', ...wrap(text)])
  const escaped = lines.slice(1).map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""'))
  const [first = ''] = escaped
  if (escaped.length === 1 && !first.endsWith('"')) return `${indent}"""${first}"""\n`
  return `${indent}"""\n${escaped.map((line) => (line === '' ? '\n' : `${indent}${line}\n`)).join('')}${indent}"""\n`
}

/** Breaks each line of a text between words. The lines of a list stay apart. */
function wrap(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = []
    let current = ''
    for (const word of line.split(/ +/)) {
      if (current !== '' && current.length + word.length >= WIDTH) {
        lines.push(current)
        current = word
      } else current = current === '' ? word : `${current} ${word}`
    }
    return [...lines, current]
  })
}
