import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { expect } from 'vitest'
import { ask } from '../../process/gateway.js'
import { COMPILER, STRICT } from '../../scripts/client/installed-client.js'
import { eventually } from '../eventually.js'
import type { ReceivedEvent } from '../peers/webhook-receiver.js'
import type { GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

// The receivers of the guide on webhooks, given real events of the webhook that its first block has registered.

/** The seeded world has some hundreds of changes. */
const MAX_PAGES = 20

/** The headers and members of a change that the gateway has sent. */
export async function hasTheFormOfAnEvent(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const { headers, body } = await realChange(world)
  const [head = '', shown = ''] = text.split('\n\n')
  for (const line of head.split('\n').slice(1)) {
    const [, name = '', value = ''] = /^([\w-]+): (.+)$/.exec(line) ?? []
    expect([name, formOf(String(headers[name]))]).toEqual([name, formOf(value)])
  }
  const names = Array.from(shown.matchAll(/"(\w+)":/g), ([, name]) => `"${name}":`)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !body.includes(name))).toEqual([])
}

/** It compiles strictly, answers a genuine event with 204 and one that was changed with 401. */
export async function receivesInTypeScript(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const file = join(world.directory, 'receiver.mts')
  writeFileSync(file, text)
  const compile = [COMPILER, ...STRICT, '--types', 'node', file]
  execFileSync(process.execPath, compile, { cwd: world.directory, encoding: 'utf8' })
  const port = await freePort()
  const child = spawn(process.execPath, [join(world.directory, 'receiver.mjs')], {
    env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secretOf(world) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const printed = textOf(child.stdout)
    const { headers, body } = await realChange(world)
    const send = (sent: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: signedHeaders(headers), body: sent })
    await eventually(async () => expect((await send(`${body} `)).status).toBe(401))
    expect((await send(body)).status).toBe(204)
    expect((await send(body)).status).toBe(204)
    child.kill()
    const { data } = JSON.parse(body) as { data: { change_type: string } }
    expect(await printed).toBe(`ai_analysis.change bitcoin ${data.change_type}\n`)
  } finally {
    child.kill()
  }
}

export async function receivesInPython(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const { headers, body } = await realChange(world)
  const given = JSON.stringify({ secret: secretOf(world), headers: signedHeaders(headers), body })
  const program = `${text}
import json, sys
given = json.load(sys.stdin)
for body in (given["body"], given["body"] + " "):
    print(is_genuine(given["secret"], given["headers"], body.encode()))
`
  const printed = execFileSync('python3', ['-c', program], { input: given, encoding: 'utf8' })
  expect(printed).toBe('True\nFalse\n')
}

/** A change that the gateway has sent; the first that asks has it sent by a replay. */
async function realChange(world: GuideWorld): Promise<ReceivedEvent> {
  const changeOf = () =>
    world.receiver.events.findLast(({ body }) => body.includes('"type":"ai_analysis.change"'))
  const known = changeOf()
  if (known !== undefined) return known
  const [url, key] = [world.gateway.url, world.key('pro')]
  const { body } = await ask<{ webhooks: { webhook_id: string }[] }>(`${url}/v1/webhooks`, key)
  const replay = await ask(`${url}/v1/webhooks/${body.webhooks[0]?.webhook_id}/replay`, key, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cursor: await cursorBeforeBitcoin(url, key) }),
  })
  expect([replay.status, replay.text]).toEqual([200, expect.any(String)])
  return eventually(() => changeOf() ?? expect.fail('no change has come'))
}

/** The changes come newest first: the cursor of a page that has one of bitcoin lies before it. */
async function cursorBeforeBitcoin(url: string, key: string): Promise<string> {
  let cursor = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`
    const path = `/v1/ai-analysis/changes?limit=100${after}`
    const { body } = await ask<{ items: { asset_id: string }[]; next_cursor: string }>(url + path, key)
    cursor = body.next_cursor
    if (body.items.some(({ asset_id }) => asset_id === 'bitcoin')) return cursor
  }
  return expect.fail(`no change of bitcoin in ${MAX_PAGES} pages`)
}

function secretOf(world: GuideWorld): string {
  return /whsec_[\w+/=]+/.exec(world.printed('webhooks'))?.[0] ?? expect.fail('no secret was shown')
}

function signedHeaders(headers: ReceivedEvent['headers']): Record<string, string> {
  const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]))
}

/** Digits, UUIDs and signatures are any of their kind. */
function formOf(value: string): string {
  return value
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/, 'UUID')
    .replace(/^v1,[\w+/]{43}=$/, 'v1,HMAC')
    .replace(/^\d+$/, 'NUMBER')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address !== null ? address.port : expect.fail('no port')
}
