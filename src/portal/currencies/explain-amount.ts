/** The API takes at most this many digits before and after the point. */
const AMOUNT = /^\d{1,15}(?:\.\d{1,8})?$/

/** What is wrong with a typed amount; null if the API takes it. */
export function explainAmount(text: string): string | null {
  if (text === '') return 'Type an amount, such as 1250.50.'
  if (AMOUNT.test(text)) return null
  if (text.startsWith('-')) return 'The amount must not be negative.'
  if (text.includes(',')) return 'Write the amount without commas and with a point: 1250.50.'
  if (/^[\d.]*$/.test(text))
    return 'The amount must have 1 to 15 digits before the point and at most 8 after it.'
  return 'The amount must be a number, such as 1250.50.'
}
