/** Several times the longest footnote. */
const MAX_CHARACTERS = 500

/** What a publisher says about a value, as one text; null if it says nothing. */
export function joinNotes(notes: readonly string[]): string | null {
  return notes.length === 0 ? null : notes.join('; ').slice(0, MAX_CHARACTERS)
}
