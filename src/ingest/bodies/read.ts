/** What a text of a body says: its value, or what is wrong with it. */
export type Read<Value> = { readonly value: Value } | { readonly wrong: string }

/** The values of reads by name. */
type ValuesOf<Reads> = {
  readonly [Name in keyof Reads]: Reads[Name] extends Read<infer Value> ? Value : never
}

/** The values of all reads by name, or all that is wrong with them. */
export function readAll<const Reads extends Readonly<Record<string, Read<unknown>>>>(
  reads: Reads,
): Read<ValuesOf<Reads>> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, read] of Object.entries(reads)) {
    if ('wrong' in read) faults.push(read.wrong)
    else values[name] = read.value
  }
  if (faults.length > 0) return { wrong: faults.join('; ') }
  return { value: values as ValuesOf<Reads> } // each value under the name of its read
}

/** Reads on from the value; what is wrong stays wrong. */
export function readOn<Value, Next>(read: Read<Value>, next: (value: Value) => Read<Next>): Read<Next> {
  return 'wrong' in read ? read : next(read.value)
}

/** The value; the other one where the read is wrong. */
export function valueOr<Value, Other>(read: Read<Value>, other: Other): Value | Other {
  return 'wrong' in read ? other : read.value
}

/** Puts a name before what is wrong. */
export function named<Value>(name: string, read: Read<Value>): Read<Value> {
  return 'wrong' in read ? { wrong: `${name} ${read.wrong}` } : read
}

/** Refuses null: the cell of that name must be filled. */
export function required<Value>(name: string, read: Read<Value | null>): Read<Value> {
  return readOn(read, (value) => (value === null ? { wrong: `${name} is missing` } : { value }))
}
