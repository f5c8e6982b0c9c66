import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runVerify } from '../../src/commands/verify/run.js'
import { startTestApp, type TestApp } from '../support/app/app.js'
import { quickestDatabase } from '../support/database/database.js'
import { runCommand } from '../support/processes/run-command.js'

const { privateKey } = generateKeyPairSync('ed25519')
const SIGNING_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))

describe('verify receipt', () => {
  let app: TestApp
  let key: string
  let home: string
  /** The headers and the body of an answer, as `curl -i` writes them. */
  let head: string
  let body: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mdg-verify-receipt-'))
    app = await startTestApp(quickestDatabase(), { env: { SIGNING_KEY } })
    key = await app.newKey({ tier: 'pro' })
    const answer = await app.rest('/v1/forex?quote=USD', {
      key,
      headers: { prefer: 'receipt', 'accept-encoding': 'identity' },
    })
    head = ['HTTP/1.1 200 OK', ...[...answer.headers].map(([name, value]) => `${name}: ${value}`)].join(
      '\r\n',
    )
    body = answer.text
    await writeFile(join(home, 'jwks.json'), (await app.rest('/.well-known/jwks.json')).text)
  })
  afterAll(async () => {
    await app?.close()
    await rm(home, { recursive: true, force: true })
  })

  const verify = async (text: string, ...more: readonly string[]) => {
    const file = join(home, 'answer.http')
    await writeFile(file, text)
    return runCommand(runVerify, ['receipt', file, '--jwks', join(home, 'jwks.json'), ...more], {})
  }

  it('accepts what curl -i wrote, also by way of a proxy, and what agents get', async () => {
    const http = `${head}\r\n\r\n${body}`
    const receipt = /x-receipt: (\S+)/.exec(head)?.[1]
    for (const text of [
      http,
      `HTTP/1.1 200 Connection established\r\n\r\n${http}`,
      JSON.stringify({ answer: body, receipt }),
    ]) {
      const { code, out } = await verify(text)
      expect(out).toMatch(
        /^receipt of forex at 2026-11-20T12:00:00\.000Z\n {2}signature +ok\n {2}body +ok\nunchanged/,
      )
      expect(code).toBe(0)
    }
  })

  it('finds a changed answer and a foreign key', async () => {
    const changed = await verify(`${head}\r\n\r\n${body.replace('USD', 'USX')}`, '--json')
    expect(changed.code).toBe(1)
    expect(JSON.parse(changed.out)).toMatchObject({ operation: 'forex', valid: false })
    await writeFile(join(home, 'jwks.json'), JSON.stringify({ keys: [] }))
    const foreign = await verify(`${head}\r\n\r\n${body}`)
    expect([foreign.code, foreign.out]).toEqual([1, expect.stringContaining('no key of the key set')])
  })

  it('says why a file cannot be checked', async () => {
    const failing: readonly [string, RegExp][] = [
      ['HTTP/1.1 200 OK\r\nx: y', /ends within its headers/],
      ['HTTP/1.1 200 OK\r\nx: y\r\n\r\n{}', /Prefer: receipt/],
      [`${head}\r\ncontent-encoding: gzip\r\n\r\n${body}`, /compressed/],
      ['{"data":[]}', /neither/],
    ]
    for (const [text, message] of failing) {
      const { code, err } = await verify(text)
      expect([code, err]).toEqual([2, expect.stringMatching(message)])
    }
  })
})
