import MORE_NAMES from './country-names.json' with { type: 'json' }

const LANGUAGES = ['en', 'de', 'fr'] as const

const CODES: ReadonlyMap<string, string> = codesByName()

/**
 * The ISO 3166-1 alpha-2 code for an English, German or French name, or for the code itself. Null for other text.
 */
export function toCountryCode(text: string | null): string | null {
  if (text === null) return null
  const code = text.trim().toUpperCase()
  if (/^[A-Z]{2}$/.test(code)) return CODES.get(code) ?? null
  return CODES.get(likeness(text)) ?? null
}

function likeness(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[^a-z']+/g, ' ')
    .trim()
}

function codesByName(): ReadonlyMap<string, string> {
  // Names in use that the Unicode CLDR does not have.
  const codes = new Map(Object.entries(MORE_NAMES))
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = isReserved(code) ? undefined : names.of(code)
      if (name === undefined) continue
      codes.set(likeness(name), codes.get(likeness(name)) ?? code)
      codes.set(code, code)
    }
  }
  return codes
}

/** Codes that CLDR names although they are not countries, or no longer: UN, EU, SU and others. */
function isReserved(code: string): boolean {
  return /^(UN|EU|EZ|QO|ZZ|X[A-JL-Z]|Q[M-Z]|SU|DD|YU|CS|FX|TP|BU|ZR|AN|NT|UK|AC|CP|DG|EA|IC|TA|CQ|NH|RH|VD|YD|HV|DY)$/.test(
    code,
  )
}
