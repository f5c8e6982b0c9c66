import { describe, expect, it } from 'vitest'
import { identifierKey, parseIdentifier } from '../../../src/domains/screening/identifiers-model.js'
import { normalizeWallet } from '../../../src/domains/screening/wallets-model.js'

const HEXADECIMAL = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
const BECH32 = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const BASE58 = '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h'

describe('the address of a wallet', () => {
  it('is compared in any case if it is hexadecimal or if its checksum is that of bech32 or bech32m', () => {
    const taproot = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0'
    for (const address of [HEXADECIMAL, BECH32, taproot])
      for (const written of [address, address.toLowerCase(), address.toUpperCase().replace(/^0X/, '0x')])
        expect(normalizeWallet(written)).toBe(address.toLowerCase())
  })

  it('is compared exactly in every other format', () => {
    const wrongChecksum = 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T5'
    for (const address of [BASE58, BASE58.toLowerCase(), 'TF4J8Gp7zbS8NA3HLuxsLdx7Ebzr6weCGn', wrongChecksum])
      expect(normalizeWallet(address)).toBe(address)
    expect(normalizeWallet('bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a')).toBe(
      'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    )
  })
})

describe('an identifier', () => {
  it.each([
    ['imo', 'IMO9187629', null, 'imo::9187629'],
    ['imo', 'IMO No. 0289239', null, 'imo::0289239'],
    ['isin', 'us1694261033', 'US', 'isin::US1694261033'],
    ['registration', ' hrb-12 345/b ', 'DE', 'registration:DE:HRB12345B'],
    ['passport', 'A 123', null, 'passport::A123'],
    ['bic', 'cklbcnbjxxx', null, 'bic::CKLBCNBJ'],
    ['wallet', ` ${HEXADECIMAL} `, null, `wallet::${HEXADECIMAL.toLowerCase()}`],
  ] as const)('of the kind %s, %j, has one form', (kind, text, country, key) => {
    const identifier = parseIdentifier(kind, text, country)
    expect('problem' in identifier ? identifier.problem : identifierKey(identifier)).toBe(key)
  })

  it.each([
    ['lei', '253400WSS48YWMBUA689', 'is not an LEI: the check digits do not match (ISO 17442)'],
    ['imo', '9187628', 'is not an IMO number: the check digit does not match that of a ship or a company'],
    ['imo', '918762', 'must be an IMO number: seven digits, with or without IMO before them'],
    ['wallet', 'two words of text, not an address', 'is not the address of a wallet'],
    ['mmsi', '12345678', 'is not an MMSI: it must have 9 digits'],
    ['bic', 'CKLBCN', 'is not a BIC: it must have 8 or 11 letters and digits'],
    ['registration', '-', 'has neither a digit nor three letters'],
    ['other', 'x'.repeat(131), 'has more than 130 characters'],
  ] as const)('of the kind %s is refused with the reason if it is %j', (kind, text, problem) => {
    expect(parseIdentifier(kind, text)).toEqual({ problem })
  })
})
