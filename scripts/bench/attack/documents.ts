/** Root aliases of a document: one less than the limit of the gateway when the attack was found. */
const ALIASES = 28

/** Sizes of consecutive documents in bytes. */
const SIZES = [1_000, 8_000, 60_000, 240_000]

const FIELDS =
  '{ disclaimer cards { analysis_type inputs limits method methodology_version model_id title } }'

/** Creates a unique GraphQL document that needs no key. Long names fill it up to its size. */
export function documentOf(number: number): string {
  const size = SIZES[number % SIZES.length] ?? 0
  // A small document has fewer aliases rather than more bytes.
  const aliases = Math.min(ALIASES, Math.max(1, Math.floor(size / (FIELDS.length * 2))))
  const nameLength = Math.max(0, Math.floor(size / aliases) - FIELDS.length - 40)
  const filler = 'x'.repeat(nameLength)
  const fields = Array.from(
    { length: aliases },
    (_, alias) => `q${number}_${alias}${filler}: ai_methodology ${FIELDS}`,
  )
  return `{ ${fields.join(' ')} }`
}
