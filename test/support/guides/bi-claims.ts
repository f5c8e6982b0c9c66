import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { ask } from '../../process/gateway.js'
import { queryFiles } from '../columnar-files.js'
import { blocksOfGuide, type GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

// The guides on Grafana, DuckDB and Power Query. What these tools send is sent to the gateway.

const MAGIC = 'PAR1'

/**
 * The statements are those of DuckDB, its secret is chosen for the file, and the file is answered to what the extension httpfs sends:
 * HEAD, then GET with ranges. The extension itself is downloaded at its installation; the query reads the file from disk here.
 */
export async function readsReleaseByRanges(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const { url, key, adapted } = await releaseStatements(world, text)
  const statements = adapted.split(';\n').map((statement) => statement.trim())
  expect(statements.slice(0, 2)).toEqual(['install httpfs', 'load httpfs'])
  const [secret = '', query = ''] = statements.slice(2)
  const chosen = await queryFiles(world.directory, secret, `from which_secret('${url}', 'http')`)
  expect(chosen).toMatchObject([{ name: 'gateway' }])

  const header = /map \{'([\w-]+)': '([^']+)'\}/.exec(secret)
  expect(header?.[2]).toBe(key)
  const headers = { [header?.[1] ?? '']: key }
  const head = await fetch(url, { method: 'HEAD', headers })
  const size = Number(head.headers.get('content-length'))
  expect([head.status, head.headers.get('accept-ranges'), size > 1_000]).toEqual([200, 'bytes', true])
  const end = await fetch(url, { headers: { ...headers, range: `bytes=${size - 4}-${size - 1}` } })
  expect([end.status, await end.text()]).toEqual([206, MAGIC])

  const file = await fetch(url, { headers })
  writeFileSync(join(world.directory, 'release.parquet'), Buffer.from(await file.arrayBuffer()))
  const rows = await queryFiles(world.directory, query.replace(url, 'release.parquet'))
  expect(rows.length).toBeGreaterThan(3)
  for (const cell of rows.flatMap((row) => Object.values(row))) expect(cell).not.toBeNull()
}

/** The block with the key of the reader and the release that the block before has printed. */
async function releaseStatements(world: GuideWorld, text: string) {
  const release = world.printed('duckdb').trim().split('\n').at(-1)
  const key = world.key('pro')
  const adapted = world
    .adapted({ guide: 'duckdb', text })
    .replace("'KEY'", `'${key}'`)
    .replace('RELEASE', release ?? expect.fail('no release was printed'))
  const [, url = ''] = /from '(http[^']+)'/.exec(adapted) ?? []
  return { url, key, adapted }
}

interface GrafanaDataSources {
  readonly datasources: readonly [
    {
      readonly url: string
      readonly jsonData: {
        readonly auth_method: string
        readonly apiKeyKey: string
        readonly apiKeyType: string
        readonly allowedHosts: readonly string[]
      }
    },
  ]
}

/** The gateway takes the key in the header that the data source names, at the address that it allows. */
export async function sendsTheKeyOfGrafana(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { datasources } = parse(world.adapted(block)) as GrafanaDataSources
  const [{ url, jsonData }] = datasources
  expect(jsonData).toMatchObject({ auth_method: 'apiKey', apiKeyType: 'header', allowedHosts: [url] })
  const headers = { [jsonData.apiKeyKey]: world.key('pro') }
  const { status } = await ask(`${url}/v1/forex?quote=USD`, null, { headers })
  expect(status).toBe(200)
}

/** What the function of the guide names: the address, the header of the key, and the members of a page. */
const functionOf = (text: string) => ({
  address: /Web\.Contents\("([^"]+)"/.exec(text)?.[1] ?? expect.fail('no address'),
  header: /Headers = \[#"([^"]+)" = Key\]/.exec(text)?.[1] ?? expect.fail('no header'),
  cursor: /arguments & \[(\w+) = cursor\]/.exec(text)?.[1] ?? expect.fail('no argument for the cursor'),
  next: /if \[(\w+)\] = null/.exec(text)?.[1] ?? expect.fail('no next page'),
  rows: /each \[(\w+)\]\)\)/.exec(text)?.[1] ?? expect.fail('no rows'),
})

export async function definesGatewayRows(world: GuideWorld, block: GuideBlock): Promise<void> {
  expect(functionOf(world.adapted(block))).toEqual({
    address: world.gateway.url,
    header: 'X-API-Key',
    cursor: 'cursor',
    next: 'next_cursor',
    rows: 'data',
  })
}

/** The requests of the call, page by page, as the function of the block before sends them, give all rows with the typed columns. */
export async function readsAllPagesAsGatewayRows(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const [definition = expect.fail('no function')] = blocksOfGuide('power-query')
  const named = functionOf(world.adapted(definition))
  const [, path, list = ''] = /GatewayRows\("([^"]+)", \[([^\]]+)\]\)/.exec(text) ?? []
  const args = Object.fromEntries(Array.from(list.matchAll(/(\w+) = "([^"]*)"/g), ([, ...pair]) => pair))
  const headers = { [named.header]: world.key('pro') }
  const rows: Record<string, unknown>[] = []
  let pages = 0
  let total: number | null = null
  for (let cursor: unknown = null; pages === 0 || cursor !== null; pages++) {
    const query = new URLSearchParams(cursor === null ? args : { ...args, [named.cursor]: String(cursor) })
    const { status, body } = await ask<Record<string, unknown>>(`${named.address}/${path}?${query}`, null, {
      headers,
    })
    expect(status).toBe(200)
    rows.push(...(body[named.rows] as typeof rows)) // toHaveLength below says whether these are the rows
    total = (body.meta as { total: number }).total // of every list
    cursor = body[named.next]
  }
  expect(pages).toBeGreaterThan(1)
  expect(rows).toHaveLength(total ?? 0)
  for (const [, column = ''] of text.matchAll(/\{"(\w+)", type/g)) expect(rows[0]).toHaveProperty(column)
}
