import ROWS from './programs.json' with { type: 'json' }

/** A sanctions programme: its legal basis and the measures it provides for. */
export interface SanctionsProgram {
  /** Code, e.g. US-GLOMAG. If the programme is not in the dictionary, the list's code. */
  readonly key: string
  /** Null if the programme is not in the dictionary. */
  readonly title: string | null
  readonly issuer: string | null
  readonly measures: readonly string[]
}

/**
 * The programmes of OFAC, with the tags that OFAC uses as aliases (source: its programme tags and pages), the regimes of the EU
 * (source: the titles and measures of its regulations) and those of the Security Council, by the resolution that began them.
 */
const PROGRAMS: ReadonlyMap<string, SanctionsProgram> = new Map(
  ROWS.map(({ aliases: _, ...program }) => [program.key, program]),
)

/** By the code that a list uses for the same programme. */
const KEYS: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(({ key, aliases }) => aliases.map((alias): [string, string] => [alias, key])),
)

/** The common code of a programme. A code that is not in the dictionary is returned unchanged. */
export function programKey(code: string): string {
  return KEYS.get(code) ?? code
}

/** The programme in the dictionary, by its common code or the code of a list. */
export function programOf(code: string): SanctionsProgram {
  const key = programKey(code)
  return PROGRAMS.get(key) ?? { key, title: null, issuer: null, measures: [] }
}
