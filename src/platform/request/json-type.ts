export const JSON_TYPE = 'application/json'

/** The media type of JSON responses. */
export const JSON_UTF8 = `${JSON_TYPE}; charset=utf-8`

/** The header of a JSON body. */
export const JSON_HEADERS: readonly string[] = ['content-type', JSON_UTF8]

/** An error body of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json'

/** Whether a Content-Type header names JSON in UTF-8 (RFC 8259 §8.1), explicitly or by default. */
export function isJsonType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (type.trim() !== JSON_TYPE) return false
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  return charset === undefined || /^charset="?utf-8"?$/.test(charset)
}
