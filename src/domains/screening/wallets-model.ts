const CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/** The remainders of a right checksum: of bech32 (BIP 173) and of bech32m (BIP 350). */
const REMAINDERS: readonly number[] = [1, 0x2bc830a3]

/**
 * The address of a wallet in the form in which addresses are compared. The case counts, except in hexadecimal addresses (0x)
 * and in addresses whose checksum shows that they are bech32. The prefix of Bitcoin Cash is left out, as in the lists.
 */
export function normalizeWallet(address: string): string {
  const plain = address.replace(/^bitcoincash:/i, '')
  const lower = plain.toLowerCase()
  return /^0x[0-9a-f]+$/.test(lower) || isBech32(lower) ? lower : plain
}

function isBech32(address: string): boolean {
  const separator = address.lastIndexOf('1')
  const prefix = address.slice(0, separator)
  const data = Array.from(address.slice(separator + 1), (character) => CHARACTERS.indexOf(character))
  if (!/^[!-~]+$/.test(prefix) || data.length < 6 || data.includes(-1)) return false
  const codes = Array.from(prefix, (character) => character.charCodeAt(0))
  const values = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data]
  return REMAINDERS.includes(remainderOf(values))
}

function remainderOf(values: readonly number[]): number {
  let checksum = 1
  for (const value of values) {
    const top = checksum >>> 25
    checksum = ((checksum & 0x1ffffff) << 5) ^ value
    GENERATORS.forEach((generator, bit) => {
      if ((top >> bit) & 1) checksum ^= generator
    })
  }
  return checksum
}
