/** A mailbox with its display name. */
export interface Mailbox {
  /** Empty without a display name. */
  readonly name: string
  readonly address: string
}

/** RFC 5321 §4.1.2 without quoted local parts: what may go between angle brackets of a command as it is. */
const ADDRESS = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u

/** RFC 5321 §4.5.3.1.3 less the angle brackets. */
const MAX_ADDRESS_LENGTH = 254
const MAX_NAME_LENGTH = 100

/** Whether a mail can be addressed to it: no space, no control character, nothing that a header or a command could end at. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text)
}

/** Reads `Name <address>` or `address`; null for anything else. */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, inBrackets] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const mailbox = { name: (name ?? '').trim().replace(/^"(.*)"$/, '$1'), address: inBrackets ?? text.trim() }
  const isName = mailbox.name.length <= MAX_NAME_LENGTH && !/[\p{C}"\\]/u.test(mailbox.name)
  return isName && isMailAddress(mailbox.address) ? mailbox : null
}
