import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { ask } from '../../process/gateway.js'
import { OWN_SECRETS } from '../app/secrets.js'
import type { GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

// What blocks of the guides say of answers, compared with real ones.

/** The configuration of a client of the Model Context Protocol leads to the tools. */
export async function listsTools(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { mcpServers } = JSON.parse(world.adapted(block).replace('mdg_…', world.key('pro'))) as {
    mcpServers: Record<string, { url: string; headers: Record<string, string> }>
  }
  const [server] = Object.values(mcpServers)
  const { status, text } = await ask(server?.url ?? '', null, {
    method: 'POST',
    headers: {
      ...server?.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect([status, text]).toEqual([200, expect.stringContaining('"name":"search"')])
}

/** Another test runs the block, which it reads from the guide: it needs several nodes. */
export const isTriedBy =
  (file: string) =>
  async (_world: GuideWorld, { guide }: GuideBlock): Promise<void> => {
    expect(readFileSync(file, 'utf8')).toContain(`blocksOfGuide('${guide}')`)
  }

/** Each root field of the operation has an answer, and none failed. */
export async function asksGraphql(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const { status, body } = await ask<{ data: Record<string, unknown>; errors?: unknown }>(
    `${world.gateway.url}/graphql`,
    world.key('pro'),
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    },
  )
  expect([status, body.errors]).toEqual([200, undefined])
  expect(Object.keys(body.data).length).toBeGreaterThan(0)
  expect(Object.values(body.data)).not.toContain(null)
}

export async function asksAgain(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { statuses, out } = await world.run(block)
  expect(statuses).toEqual([200, 304])
  expect(out).toContain('HTTP/1.1 304 Not Modified')
}

export async function showsTheAsset(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const { body } = await ask(`${world.gateway.url}/v1/assets/bitcoin`, world.key('pro'))
  expect(shapeOf(body)).toMatchObject(Object(shapeOf(JSON.parse(text))))
}

/** The program prints a price. */
export async function runsInNode(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { out } = await world.run(block, `node --input-type=module - <<'EOF'\n${world.adapted(block)}EOF`)
  expect(out.trim()).toMatch(/^\d+\.\d+$/)
}

/** The body of a 401, up to the dots of the block. */
export async function showsTheMissingKey(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const { status, body } = await ask<{ error: string; message: string }>(
    `${world.gateway.url}/v1/assets/bitcoin`,
    null,
  )
  const shown = JSON.parse(text) as { error: string; message: string }
  expect([status, body.error]).toEqual([401, shown.error])
  expect(body.message).toContain(shown.message.replace(/, …$/, ''))
}

/** Each part of a drawing that looks like a path of the repository is one. */
export async function namesParts(_world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const paths = Array.from(text.matchAll(/"((?:src|prisma)[\w./-]*)/g), ([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(5)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
}

/** Each mark of the drawing stands below its day: published, loaded and corrected; a basis begins at the first that it counts. */
export async function drawsMarksBelowDays(_world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const [days = '', , observed = '', published = ''] = text.split('\n')
  const columnsOf = (line: string, mark: RegExp) => Array.from(line.matchAll(mark), ({ index }) => index)
  const [publishedOn, loadedOn, correctedOn] = columnsOf(days, /\d+ \w+ \d{4}/g)
  expect(columnsOf(observed, /\|/g)).toEqual([loadedOn, correctedOn])
  expect(columnsOf(published, /\|/g)).toEqual([publishedOn, correctedOn])
}

/** The headers that the block shows, with any numbers in the places of its own. */
export const hasHeadersOf =
  (path: string) =>
  async (world: GuideWorld, { text }: GuideBlock): Promise<void> => {
    const { headers } = await ask(world.gateway.url + path, world.key('pro'))
    for (const line of text.trim().split('\n')) {
      const [, name = '', value = ''] = /^([\w-]+): (.+)$/.exec(line) ?? []
      expect([name, numberless(headers.get(name) ?? '')]).toEqual([name, numberless(value)])
    }
  }

export async function isRefused(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { statuses } = await world.run(block)
  // A new hour began in between: then it has 14 more.
  const last = statuses.at(-1) === 429 ? statuses : (await world.run(block)).statuses
  expect(last.at(-1)).toBe(429)
}

/** The refusal that the loop before it was given. */
export async function showsTheRefusal({ directory }: GuideWorld, { text }: GuideBlock): Promise<void> {
  const shown = JSON.parse(text) as { error: string; message: string }
  const given = JSON.parse(readFileSync(join(directory, 'refusal.json'), 'utf8')) as typeof shown
  expect(shapeOf(given)).toEqual(shapeOf(shown))
  expect(given.error).toBe(shown.error)
  expect(withoutTime(given.message)).toBe(withoutTime(shown.message))
}

/** When the hour ends depends on when the guide is run. */
function withoutTime(message: string): string {
  const time = /; try again at (?:\d{4}-\d{2}-\d{2} )?\d{2}:00 UTC\./
  expect(message).toMatch(time)
  return message.replace(time, '')
}

/** The variables that the block sets are a configuration that the gateway takes. */
export async function configures(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { env } = await world.run(block)
  const names = Array.from(block.text.matchAll(/^(?:export )?([A-Z_]+)=/gm), ([, name = '']) => name)
  expect(names.length).toBeGreaterThan(0)
  const given = Object.fromEntries(
    names.map((name) => [name, env[name] ?? expect.fail(`${name} is not set`)]),
  )
  const complete = { NODE_ENV: 'production', DATABASE_URL: 'postgresql://db.example/gateway' }
  expect(() => loadConfig({ ...OWN_SECRETS, ...complete, ...given })).not.toThrow()
}

const numberless = (text: string) => text.replace(/\d+/g, '0')

/** The types of all members; a list has that of its first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}
