const QUOTE = '"'

/** One level of nesting: the names seen in an object; null for a list. */
type Level = Set<string> | null

/**
 * The first name that occurs twice in one object of a JSON text; null without one. JSON.parse keeps only the last
 * one (RFC 8259 §4). The text must be valid JSON.
 */
export function duplicateMember(json: string): string | null {
  const outer: Level[] = []
  let level: Level = null
  let isName = false
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '{':
      case '[':
        outer.push(level)
        level = json[at] === '{' ? new Set() : null
        isName = level !== null
        break
      case '}':
      case ']':
        level = outer.pop() ?? null
        break
      case ',':
        isName = level !== null
        break
      case QUOTE: {
        const end = endOfText(json, at)
        if (isName && level !== null) {
          const name = nameOf(json.slice(at, end + 1))
          if (level.has(name)) return name
          level.add(name)
        }
        isName = false
        at = end
        break
      }
    }
  }
  return null
}

/** Resolves escapes: "a" and "\u0061" are one name. */
function nameOf(text: string): string {
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1)
}

/** Place of the closing quote of the text that opens at `start`. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf(QUOTE, start + 1)
  while (end > 0 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1)
  return end < 0 ? json.length : end
}

/** Whether an odd number of backslashes precedes the place. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1
  while (json[before] === '\\') before -= 1
  return (at - before) % 2 === 0
}
