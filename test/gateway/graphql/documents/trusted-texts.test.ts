import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../../src/core/canonical-json.js'
import { loadTrustedTexts } from '../../../../src/gateway/graphql/documents/trusted-texts.js'
import { graphSchema } from '../../../../src/schema.js'

const RATES = 'query Rates($quote: String!) { forex(quote: $quote) { quote rows } }'

describe('a manifest of trusted documents', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mdg-manifest-'))
  const path = join(directory, 'manifest.json')
  afterAll(() => rmSync(directory, { recursive: true }))

  const read = (content: unknown) => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return loadTrustedTexts(path, graphSchema)
  }
  const manifestOf = (...texts: readonly string[]) =>
    Object.fromEntries(texts.map((text) => [sha256Hex(text), text]))

  it('returns its documents by their SHA-256, those with several operations too', () => {
    const two = 'query A { __typename } query B { __typename }'
    expect([...read(manifestOf(RATES, two))]).toEqual(
      expect.arrayContaining([
        [sha256Hex(RATES), RATES],
        [sha256Hex(two), two],
      ]),
    )
  })

  it('may write an enum value as its text', () => {
    const text = '{ consensus_inputs(id: "bitcoin", ts: "2026-11-19", timeframe: "1d") { ticker } }'
    expect(read(manifestOf(text)).get(sha256Hex(text))).toBe(text)
    const wrong = text.replace('1d', '2d')
    expect(() => read(manifestOf(wrong))).toThrow(/timeframe: must be one of/)
  })

  it('is refused with a line for each document that cannot run', () => {
    const documents = {
      [sha256Hex('{ nothing }')]: '{ nothing }',
      [sha256Hex('{ forex(')]: '{ forex(',
      [sha256Hex('other')]: RATES,
    }
    expect(() => read({ ...manifestOf(RATES), ...documents })).toThrow(
      new Error(
        [
          `TRUSTED_DOCUMENTS: ${path} has documents that cannot run:`,
          `  - ${sha256Hex('{ nothing }')}: Cannot query field "nothing" on type "Query".`,
          `  - ${sha256Hex('{ forex(')}: Syntax Error: Expected Name, found <EOF>.`,
          `  - ${sha256Hex('other')}: the SHA-256 of this document is ${sha256Hex(RATES)}`,
        ].join('\n'),
      ),
    )
  })

  it.each([
    ['a list', []],
    ['an empty object', {}],
    ['a manifest of another form', { operations: [{ id: 'a', body: RATES }] }],
  ])('is refused as %s, saying what it must be', (_what, content) => {
    expect(() => read(content)).toThrow(/must be a JSON object of documents by their SHA-256/)
  })

  it('is refused when it cannot be read', () => {
    expect(() => read('{')).toThrow(/^TRUSTED_DOCUMENTS: \S+ cannot be read: /)
    expect(() => loadTrustedTexts(join(directory, 'missing.json'), graphSchema)).toThrow(
      /cannot be read: ENOENT/,
    )
  })
})
