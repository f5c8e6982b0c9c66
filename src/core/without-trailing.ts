/**
 * The text without every repetition of the character at its end. A regular expression such as `/0+$/` tries each position of a
 * run that the end does not follow, which takes quadratic time.
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
