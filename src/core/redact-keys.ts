const API_KEY_TEXT = /mdg_(?:live|test)_[0-9A-Za-z_]{4,}/g

/** The text without the API keys in it. */
export function redactKeys(text: string): string {
  return text.includes('mdg_') ? text.replace(API_KEY_TEXT, 'mdg_[redacted]') : text
}
