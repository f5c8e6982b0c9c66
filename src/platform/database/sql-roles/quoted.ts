/** Longest name in PostgreSQL, bytes (NAMEDATALEN - 1). Longer names are truncated, which changes them. */
const MAX_NAME_BYTES = 63

/** A quoted name with any characters, for statements without parameters, such as CREATE ROLE. */
export function quotedName(name: string): string {
  const bytes = Buffer.byteLength(name)
  if (bytes === 0 || bytes > MAX_NAME_BYTES || name.includes('\0')) {
    throw new Error(`a name in SQL has 1 to ${MAX_NAME_BYTES} bytes and no character U+0000`)
  }
  return `"${name.replaceAll('"', '""')}"`
}

/** A quoted text; correct for every setting of standard_conforming_strings. */
export function quotedText(text: string): string {
  if (text.includes('\0')) throw new Error('a text in SQL has no character U+0000')
  const doubled = text.replaceAll("'", "''")
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`
}
