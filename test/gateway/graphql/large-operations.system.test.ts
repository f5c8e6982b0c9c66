import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_ANSWER_BYTES, MAX_VALUES } from '../../../src/gateway/graphql/plan/budget.js'
import { quickestDatabase } from '../../support/database/database.js'
import { addCandles, aliases, LONG, NEARLY_TOO_LARGE } from './large-world.js'
import { openTransport, type TransportApp } from './transport/transport-app.js'

/**
 * The share of an operation's processor time that its longest turn of the event loop may take: about 0.2 is usual, and 0.75
 * if rows and text are not spread over turns. `npm run bench -- attack` measures how long other requests wait.
 */
const MAX_SHARE_OF_A_TURN = 0.4

const ATTACK = `{ assets(limit: 100) { data { ${aliases(29, (name) => `${name}: ohlcv(${LONG}, limit: 1000) { candles { ts open high low close vwap_usd volume_usd exchanges_count max_source_weight_pct consensus_status } }`)} } } }`

describe.each([quickestDatabase()])('large operations on %s', (kind) => {
  let app: TransportApp
  let server: Server
  let url: string
  beforeAll(async () => {
    app = await openTransport(kind)
    await addCandles(app.database, 1_000)
    server = serve(app)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await app?.close()
  })

  const post = (query: string, key = 'one') =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-account': key },
      body: JSON.stringify({ query }),
    })

  it('of an attack are refused before anything is read, by a figure that a dry run shows too', async () => {
    const before = app.database.statementCount()
    const came = await app.ask(ATTACK)
    expect([came.status, came.body.errors?.[0]?.extensions.code]).toEqual([422, 'VALIDATION_ERROR'])
    expect(came.body.errors?.[0]?.message).toBe(
      'This operation may return up to 37706102 values (rows times fields, plus 3 per row); the maximum is 200000. Request fewer rows (limit), fields or aliases.',
    )
    expect(came.prepared).toBeNull()
    expect(app.database.statementCount() - before).toBeLessThanOrEqual(1) // the versions of the datasets
    expect((await app.dryRun(ATTACK)).status).toBe(422)
  })

  it('are answered while other requests go on, within the limits of an answer and of memory', async () => {
    await post('{ asset(id: "bitcoin") { data { ticker } } }')
    let longest = 0
    let total = 0
    for (const [name, query] of Object.entries(NEARLY_TOO_LARGE)) {
      const turns = watchTurns()
      const response = await post(query)
      const text = await response.text()
      const { longestMs, totalMs } = turns.stop()
      longest += longestMs
      total += totalMs
      expect([name, response.status]).toEqual([name, 200])
      expect(text.length).toBeLessThan(MAX_ANSWER_BYTES)
      expect(JSON.parse(text).extensions.cost.values).toBeLessThanOrEqual(MAX_VALUES)
    }
    expect(longest / total).toBeLessThan(MAX_SHARE_OF_A_TURN)
  })

  it('give the same text as small ones', async () => {
    const query = `{ assets(limit: 20) { data { ticker ohlcv(${LONG}, limit: 500) { rows candles { ts vwap_usd } } } } }`
    const came = await app.ask<{ assets: { data: { ohlcv: { rows: number; candles: unknown[] } }[] } }>(query)
    expect(came.prepared?.price.values).toBeGreaterThan(MAX_VALUES / 10)
    expect(came.text.startsWith(`{"data":${JSON.stringify(came.body.data)},"extensions":`)).toBe(true)
    expect(came.body.data?.assets.data.map(({ ohlcv }) => ohlcv.candles.length)).toEqual(Array(20).fill(500))
  })

  it('cost the rows that they read: once more for each further 500 rows of an edge', async () => {
    const units = async (limit: number) =>
      (await app.dryRun(`{ assets(limit: 40) { data { ohlcv(${LONG}, limit: ${limit}) { rows } } } }`)).body
        .extensions?.cost?.price
    expect(await units(31)).toBe(1 + 2)
    expect(await units(500)).toBe(1 + 2)
    expect(await units(501)).toBe(1 + 2 * 2)
    expect(await units(1000)).toBe(1 + 2 * 2)
    // The range decides where it is shorter than the limit.
    const month = await app.dryRun('{ assets(limit: 40) { data { ohlcv(limit: 1000) { candles { ts } } } } }')
    expect(month.body.extensions?.cost).toMatchObject({
      price: 1 + 2,
      values: 2 + 40 * (3 + 2 + 30 * (3 + 1)),
    })
  })
})

/** A server of the transport alone. */
function serve(app: TransportApp): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', async () => {
      const { status, text } = await app.send({ body: Buffer.concat(chunks) })
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
  })
}

/** Measures the processor time of the event loop's turns. Other processes do not lengthen it, as they do a clock's. */
function watchTurns(): { stop(): { longestMs: number; totalMs: number } } {
  let longestMs = 0
  let isOver = false
  const begun = process.cpuUsage()
  let before = begun
  const turn = () => {
    longestMs = Math.max(longestMs, usedMsSince(before))
    before = process.cpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop: () => {
      isOver = true
      turn()
      return { longestMs, totalMs: usedMsSince(begun) }
    },
  }
}

function usedMsSince(usage: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(usage)
  return (user + system) / 1_000
}
