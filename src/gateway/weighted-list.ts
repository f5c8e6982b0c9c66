/** A member of a list such as that of an Accept header. */
export interface WeightedName {
  /** In lower case. */
  readonly name: string
  /** 0 to 1: how much it is wanted; 0 also where the weight is no number. */
  readonly weight: number
}

/** The members of Accept, Accept-Encoding and the like, in their order (RFC 9110, §12.4.2). What they mean is for the caller. */
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
