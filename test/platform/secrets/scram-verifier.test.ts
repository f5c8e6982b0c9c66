import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { scramVerifier } from '../../../src/platform/secrets/scram-verifier.js'

/** The exchange of RFC 7677 §3. */
const SALT = 'W22ZaJ0SNY7soEsUEjb6gQ=='
const NONCE = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
const MESSAGES = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${NONCE},s=${SALT},i=4096,c=biws,r=${NONCE}`
const CLIENT_PROOF = 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ='
const SERVER_SIGNATURE = '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

describe('the SCRAM-SHA-256 verifier', () => {
  it('accepts the proof of the published exchange and gives its server signature', () => {
    const verifier = scramVerifier('pencil', Buffer.from(SALT, 'base64'))
    const [, salt, stored = '', server = ''] =
      /^SCRAM-SHA-256\$4096:([^$]+)\$([^:]+):(.+)$/.exec(verifier) ?? []
    expect(salt).toBe(SALT)
    const signature = hmac(Buffer.from(stored, 'base64'), MESSAGES)
    const clientKey = Buffer.from(CLIENT_PROOF, 'base64').map((byte, at) => byte ^ (signature[at] ?? 0))
    expect(createHash('sha256').update(clientKey).digest('base64')).toBe(stored)
    expect(hmac(Buffer.from(server, 'base64'), MESSAGES).toString('base64')).toBe(SERVER_SIGNATURE)
  })

  it('has another salt each time, and accepts printable ASCII only', () => {
    expect(scramVerifier('pencil')).not.toBe(scramVerifier('pencil'))
    for (const password of ['', 'with space', 'Ä', 'a\n']) expect(() => scramVerifier(password)).toThrow()
  })
})
