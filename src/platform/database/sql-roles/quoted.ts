/** Longest name that PostgreSQL keeps, bytes (NAMEDATALEN less one): it cuts longer ones, which are then other names. */
const MAX_NAME_BYTES = 63

/** A name as a statement holds it, whatever characters it has; for statements that take no parameters, such as CREATE ROLE. */
export function quotedName(name: string): string {
  const bytes = Buffer.byteLength(name)
  if (bytes === 0 || bytes > MAX_NAME_BYTES || name.includes('\0')) {
    throw new Error(`a name in SQL has 1 to ${MAX_NAME_BYTES} bytes and no character U+0000`)
  }
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as a statement holds it; right whatever standard_conforming_strings says. */
export function quotedText(text: string): string {
  if (text.includes('\0')) throw new Error('a text in SQL has no character U+0000')
  const doubled = text.replaceAll("'", "''")
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`
}
