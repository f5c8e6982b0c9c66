/** Named characters of HTML that headlines have; a name that is not here stays as it is written. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '\u00ad',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  lsaquo: '‹',
  rsaquo: '›',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  deg: '°',
  times: '×',
  frac12: '½',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  agrave: 'à',
  aacute: 'á',
  acirc: 'â',
  atilde: 'ã',
  aring: 'å',
  ccedil: 'ç',
  egrave: 'è',
  eacute: 'é',
  ecirc: 'ê',
  euml: 'ë',
  iacute: 'í',
  icirc: 'î',
  ntilde: 'ñ',
  oacute: 'ó',
  ocirc: 'ô',
  oslash: 'ø',
  uacute: 'ú',
}

const MAX_CODE_POINT = 0x10ffff

/** Tags and comments of HTML, and a comment without an end; `1 < 2` is neither. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<\/?[a-z][^<>]*>/gi

/** Invisible characters: controls, direction marks that show a text in another order, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A text of HTML as one printable line: without markup, its entities read once. */
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
  if (!entity.startsWith('#')) return NAMED[entity] ?? written
  const isHexadecimal = /^#x/i.test(entity)
  const code = Number.parseInt(entity.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10)
  return Number.isInteger(code) && code > 0 && code <= MAX_CODE_POINT ? String.fromCodePoint(code) : written
}
