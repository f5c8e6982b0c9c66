import { HTML_ENTITIES } from '../../bodies/html-entities.js'

const MAX_CODE_POINT = 0x10ffff

/** Tags and comments of HTML, and a comment without an end; `1 < 2` is neither. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<\/?[a-z][^<>]*>/gi

/** Invisible characters: controls, direction marks that reorder text, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** HTML as one printable line, without markup. Entities are decoded once; an unknown name stays as written. */
export function plainTextOfHtml(html: string): string {
  return plainText(
    html.replace(MARKUP, ' ').replace(/&(#x?[0-9a-f]{1,8}|[a-z][a-z0-9]{1,8});/gi, characterOf),
  )
}

/** A text as one printable line. */
export function plainText(text: string): string {
  return text.replace(/\s/g, ' ').replace(UNSEEN, '').replace(/ +/g, ' ').trim()
}

function characterOf(written: string, entity: string): string {
  if (!entity.startsWith('#')) return HTML_ENTITIES.get(entity) ?? written
  const isHexadecimal = /^#x/i.test(entity)
  const code = Number.parseInt(entity.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10)
  return Number.isInteger(code) && code > 0 && code <= MAX_CODE_POINT ? String.fromCodePoint(code) : written
}
