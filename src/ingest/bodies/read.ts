/** The result of parsing a text: its value, or what is wrong with it. */
export type Read<Value> = { readonly value: Value } | { readonly wrong: string }

/** The values of named results. */
type ValuesOf<Reads> = {
  readonly [Name in keyof Reads]: Reads[Name] extends Read<infer Value> ? Value : never
}

/** The values of all results, or everything that is wrong with them. */
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
  return { value: values as ValuesOf<Reads> } // each value under the name of its result
}

/** Parses the value further; an error stays as it is. */
export function readOn<Value, Next>(read: Read<Value>, next: (value: Value) => Read<Next>): Read<Next> {
  return 'wrong' in read ? read : next(read.value)
}

/** The value, or `other` if the text is wrong. */
export function valueOr<Value, Other>(read: Read<Value>, other: Other): Value | Other {
  return 'wrong' in read ? other : read.value
}

/** Prefixes an error with a name. */
export function named<Value>(name: string, read: Read<Value>): Read<Value> {
  return 'wrong' in read ? { wrong: `${name} ${read.wrong}` } : read
}

/** Rejects null: the named cell must have a value. */
export function required<Value>(name: string, read: Read<Value | null>): Read<Value> {
  return readOn(read, (value) => (value === null ? { wrong: `${name} is missing` } : { value }))
}
