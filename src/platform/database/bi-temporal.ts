/** SQL: whether the row is the current one, or was at the instant in parameter `asOf`, such as $4. */
export function knownAt(row: string, asOf: string | null): string {
  if (asOf === null) return `${row}.known_to is null`
  const instant = `${asOf}::timestamptz`
  return `${row}.known_from <= ${instant} and (${row}.known_to is null or ${row}.known_to > ${instant})`
}
