import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { RawSocket } from '../../support/peers/socket-client.js'

/** A message that each interface accepts with this address and these headers. */
const INTERFACES = [
  ['REST', '/v1/sanctions/screen', '"leis":["5493001KJTIIGC8Y1R12"]', 200],
  ['login', '/auth/login', '"email":"nobody@example.org","password":"wrong-password"', 401],
  ['GraphQL', '/graphql', '"query":"{ __typename }"', 200],
  ['MCP', '/mcp?toolset=full', '"jsonrpc":"2.0","id":1,"method":"tools/list"', 200],
] as const

type Form = (members: string) => string

/** Forms of a body that every interface refuses, or accepts in one way only. */
const REFUSED: readonly (readonly [string, Form])[] = [
  ['a batch', (members) => `[${Array.from({ length: 100 }, () => `{${members}}`).join(',')}]`],
  ['an empty batch', () => '[]'],
  ['a member twice', (members) => `{${members},${members}}`],
  ['a member twice, once escaped', (members) => `{${members},"\\u00${hexOf(members)}${members.slice(2)}}`],
  ['with an integer that a number changes', (members) => `{${members},"n":9007199254740993}`],
  ['with a number beyond all numbers', (members) => `{${members},"n":[-1e400]}`],
  ['half of an object', (members) => `{${members}`],
]

/** The code of the first character of the first name. */
function hexOf(members: string): string {
  return members.charCodeAt(1).toString(16)
}

const MARK = '\ufeff'

/** Ways to send the same text as bytes. */
const ENCODINGS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['plainly', (text) => Buffer.from(text)],
  ['after whitespace', (text) => Buffer.from(` \r\n\t${text}`)],
  ['after a byte order mark', (text) => Buffer.from(MARK + text)],
  ['after a byte order mark and whitespace', (text) => Buffer.from(`${MARK} \n${text}`)],
  ['in UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['in UTF-16 with a byte order mark', (text) => Buffer.from(MARK + text, 'utf16le')],
  ['with a byte that is no UTF-8', (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff])])],
]

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
})
afterAll(() => app?.close())

async function post(path: string, bytes: Buffer) {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept:
        path === '/graphql' ? 'application/graphql-response+json' : 'application/json, text/event-stream',
    },
    body: new Uint8Array(bytes),
  })
  return { status: response.status, text: await response.text() }
}

describe.each(INTERFACES)('a body sent to %s', (_name, path, members, status) => {
  it('is accepted as UTF-8 without a byte order mark', async () => {
    expect((await post(path, Buffer.from(`{${members}}`))).status).toBe(status)
  })

  it.each(REFUSED)('is refused with 400 if it is %s, however it is encoded', async (_form, make) => {
    for (const [encoding, encode] of ENCODINGS) {
      const { status: refusal, text } = await post(path, encode(make(members)))
      expect([encoding, refusal]).toEqual([encoding, 400])
      expect(text.length).toBeLessThan(1024)
    }
  })

  it('is refused with 400 in every encoding but UTF-8 without a byte order mark', async () => {
    for (const [encoding, encode] of ENCODINGS.slice(2)) {
      const { status: refusal } = await post(path, encode(`{${members}}`))
      expect([encoding, refusal]).toEqual([encoding, 400])
    }
  })
})

describe('a message sent over a WebSocket', () => {
  const PING = '"type":"ping"'
  it.each([
    ...REFUSED.map(([form, make]) => [form, make(PING)]),
    ['a message after a byte order mark', `${MARK}{${PING}}`],
  ])('closes the connection if it is %s', async (_form, text = '') => {
    const client = await new RawSocket(app.url).opened()
    client.send(text)
    expect((await client.closed).code).toBe(4400)
  })
})
