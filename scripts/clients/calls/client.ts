/** The gateway that is asked, and the key that it is asked with. */
export interface Gateway {
  readonly url: string
  readonly key: string
}

/** What a client tries, by name. Each resolves when the answer is what it has to be, and throws what is wrong with it. */
export type Calls = (gateway: Gateway) => Readonly<Record<string, () => Promise<void>>>

/** More than the most that a list takes. */
export const TOO_MANY = 5_000

/** An LEI with right check digits. */
export const LEI = '5493001KJTIIGC8Y1R12'

export function check(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

/** The `offset` of the next page by the header `Link` (RFC 8288). */
export function nextOffset(headers: Headers): number {
  const link = headers.get('link') ?? ''
  const target = /<([^>]*)>; rel="next"/.exec(link)?.[1]
  check(target !== undefined, `Link names no next page: ${link}`)
  const offset = new URL(target, 'http://gateway').searchParams.get('offset')
  check(offset !== null, `the next page has no offset: ${target}`)
  return Number(offset)
}
