import { createServer, get, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileTable } from '../../../src/gateway/rest/response/table.js'
import { exportTable } from '../../../src/gateway/rest/response/table-export.js'
import { listener, logged, MANY, POINTS, points } from './table-app.js'

const CSV = 'text/csv'
const NDJSON = 'application/x-ndjson'

describe('the stream', () => {
  const TOTAL = 100_000

  /** Rows that count how many of them were ever read. */
  function countedExport() {
    const made = { rows: 0 }
    const rows = Array.from({ length: TOTAL }, (_, index) => ({
      get count() {
        made.rows += 1
        return index
      },
    }))
    const { body } = exportTable(CSV, {
      table: compileTable(points(), { rows: 'data.points' }),
      data: { data: { points: rows } },
      values: {},
      dataVersion: '',
    })
    if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) throw new Error('no stream')
    return { made, reader: body[Symbol.asyncIterator]() }
  }

  it('is written in chunks of about 64 KB, yielding to other work between them', async () => {
    const { reader } = countedExport()
    const sizes: number[] = []
    let turns = 0
    let isDone = false
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    for (let next = await reader.next(); !next.done; next = await reader.next()) sizes.push(next.value.length)
    isDone = true
    expect(sizes.length).toBeGreaterThan(10)
    for (const size of sizes.slice(0, -1)) expect(size).toBeLessThan(66 * 1024)
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(64 * 1024)
    expect(turns).toBeGreaterThanOrEqual(sizes.length - 1)
  })

  it('is not written ahead of a reader that waits, nor after one that disconnected', async () => {
    const { made, reader } = countedExport()
    await reader.next()
    // That no more rows are made shows only after a while, here and below.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const whileWaiting = made.rows
    expect(whileWaiting).toBeGreaterThan(0)
    expect(whileWaiting).toBeLessThan(TOTAL / 4)
    await reader.return?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(made.rows - whileWaiting).toBeLessThan(TOTAL / 4)
  })
})

describe('over a real socket', () => {
  const responses: ServerResponse[] = []
  let server: Server
  let origin = ''
  beforeAll(async () => {
    server = createServer((request, response) => {
      responses.push(response)
      listener(request, response)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it('sends all rows of a long series in order', async () => {
    const response = await fetch(`${origin}/v1/points/many`, { headers: { accept: CSV } })
    expect(response.headers.has('content-length')).toBe(false)
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(MANY + 1)
    expect(lines.slice(1).every((line, index) => line.split(',')[3] === String(index))).toBe(true)
  })

  it('stays healthy when a client disconnects mid-stream', async () => {
    const closed = await new Promise<ServerResponse | undefined>((resolve, reject) => {
      const request = get(`${origin}/v1/points/many`, { headers: { accept: NDJSON } }, (answer) => {
        const serverSide = responses.at(-1)
        serverSide?.once('close', () => resolve(serverSide))
        answer.once('data', () => request.destroy())
        answer.on('error', () => {}) // the cut is ours
      })
      request.on('error', reject)
    })
    // Not all was written: the rest of the rows were never made into text.
    expect(closed?.writableFinished).toBe(false)
    const next = await fetch(`${origin}/v1/points/a`, { headers: { accept: NDJSON } })
    expect((await next.text()).trimEnd().split('\n')).toHaveLength(POINTS.length)
    expect(logged).toEqual([])
  })
})
