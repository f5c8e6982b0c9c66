/** Whether a Content-Type header names JSON as it is read here: in UTF-8 (RFC 8259 §8.1), whether it says so or not. */
export function isJsonType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (type.trim() !== 'application/json') return false
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  return charset === undefined || /^charset="?utf-8"?$/.test(charset)
}
