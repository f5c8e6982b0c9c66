/** The kinds of identifiers that a line may have, with the name of one and of several. */
const KINDS = {
  lei: ['LEI', 'LEIs'],
  isin: ['ISIN', 'ISINs'],
  imo: ['IMO number', 'IMO numbers'],
  wallet: ['wallet', 'wallets'],
  registration: ['registration number', 'registration numbers'],
} as const

type IdentifierKind = keyof typeof KINDS

/** The name of a kind as the API gives it. */
export function kindText(kind: string): string {
  return KINDS[kind as IdentifierKind]?.[0] ?? kind.replaceAll('_', ' ')
}

/** The arguments of a check. */
export interface CheckArguments {
  readonly leis: readonly string[]
  readonly isins: readonly string[]
  readonly imos: readonly string[]
  readonly wallets: readonly string[]
  readonly registrations: readonly { readonly country: string; readonly number: string }[]
}

export interface ParsedIdentifiers {
  readonly arguments: CheckArguments
  /** How many identifiers were found. */
  readonly count: number
  /** `2 LEIs, 1 wallet`; empty without identifiers. */
  readonly kinds: string
  /** Lines that have the form of no kind. */
  readonly unknown: readonly string[]
}

/** The registration number of a line: a country of two letters, then a number with a digit. */
const REGISTRATION = /^([A-Z]{2})[\s:]+(\S.*\d.*|\d.*)$/i

type OtherKind = Exclude<IdentifierKind, 'registration'>

/** The form of each other kind. The API says what is wrong with an identifier of the right form. */
const FORMS: readonly (readonly [kind: OtherKind, form: RegExp])[] = [
  ['lei', /^[A-Z0-9]{18}\d{2}$/i],
  ['isin', /^[A-Z]{2}[A-Z0-9]{9}\d$/i],
  ['imo', /^(?:IMO\s*)?\d{7}$/i],
  ['wallet', /^[A-Za-z0-9:_-]{20,130}$/],
]

/** The identifiers of a text, one per line. Those of other kinds than registration numbers may also stand on one line. */
export function parseIdentifiers(text: string): ParsedIdentifiers {
  const found: Record<OtherKind, string[]> = { lei: [], isin: [], imo: [], wallet: [] }
  const registrations: { country: string; number: string }[] = []
  const unknown: string[] = []
  const add = (part: string): boolean => {
    const kind = FORMS.find(([, form]) => form.test(part))?.[0]
    if (kind !== undefined) found[kind].push(part)
    return kind !== undefined
  }
  for (const line of splitLines(text)) {
    const [, country, number] = REGISTRATION.exec(line) ?? []
    if (add(line)) continue
    if (country !== undefined && number !== undefined) registrations.push({ country, number })
    else unknown.push(...line.split(/\s+/).filter((part) => !add(part)))
  }
  const { lei: leis, isin: isins, imo: imos, wallet: wallets } = found
  const counts = Object.entries({ ...found, registration: registrations })
  return {
    arguments: { leis, isins, imos, wallets, registrations },
    count: counts.reduce((sum, [, { length }]) => sum + length, 0),
    kinds: counts
      .filter(([, { length }]) => length > 0)
      .map(([kind, { length }]) => `${length} ${KINDS[kind as IdentifierKind][length === 1 ? 0 : 1]}`)
      .join(', '),
    unknown,
  }
}

function splitLines(text: string): readonly string[] {
  return text
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
