/** A mailbox with its display name. */
export interface Mailbox {
  /** Empty without a display name. */
  readonly name: string
  readonly address: string
}

/** RFC 5321 §4.1.2 without quoted local parts: texts that are safe between the angle brackets of a command. */
const ADDRESS = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const MAX_ADDRESS_LENGTH = 254
const MAX_NAME_LENGTH = 100

/** Whether the text is a mail address without spaces, control characters, or characters that end a header or a command. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text)
}

/** Parses `Name <address>` or `address`; returns null for anything else. */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, inBrackets] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const mailbox = { name: (name ?? '').trim().replace(/^"(.*)"$/, '$1'), address: inBrackets ?? text.trim() }
  const isName = mailbox.name.length <= MAX_NAME_LENGTH && !/[\p{C}"\\]/u.test(mailbox.name)
  return isName && isMailAddress(mailbox.address) ? mailbox : null
}
