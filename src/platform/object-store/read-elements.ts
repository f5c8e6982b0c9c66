import { SaxesParser } from 'saxes'

/** Deeper XML is not read. Answers of S3 have four levels. */
const MAX_DEPTH = 20

/** The elements of this name in an XML text, each with the texts of its children. Throws for malformed XML. */
export function readElements(xml: string, name: string): readonly Readonly<Record<string, string>>[] {
  const found: Record<string, string>[] = []
  const path: string[] = []
  let text = ''
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    if (path.length >= MAX_DEPTH) throw new Error('the XML has too many levels')
    path.push(tag.name)
    text = ''
    if (tag.name === name) found.push({})
  })
  parser.on('text', (more) => {
    text += more
  })
  parser.on('closetag', (tag) => {
    path.pop()
    const element = found.at(-1)
    if (path.at(-1) === name && element !== undefined) element[tag.name] = text
  })
  parser.write(xml).close()
  return found
}
