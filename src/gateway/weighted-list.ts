/** A member of a header such as Accept. */
export interface WeightedName {
  /** Lower case. */
  readonly name: string
  /** Preference from 0 to 1; 0 if the weight is not a number. */
  readonly weight: number
}

/** Parses a header such as Accept or Accept-Encoding (RFC 9110, §12.4.2). Returns its members in their order. */
export function weightedList(header: string): readonly WeightedName[] {
  return header
    .toLowerCase()
    .split(',')
    .map((text) => {
      const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { name, weight: weight === undefined ? 1 : Number(weight) || 0 }
    })
}
