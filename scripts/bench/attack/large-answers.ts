import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixed, MEBIBYTE } from '../shared/figures.js'
import type { Target } from '../shared/target.js'
import { countOutcomes, type Outcomes } from './count-outcomes.js'
import { get } from './post.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

const AT_ONCE = 24
const ANSWER_MS = 120_000

const EXPORTS = 80
const PIPELINED = 200
const REQUESTS_PER_CONNECTION = 16
const HELD_MS = 20_000
/** How often a slow client reads what has arrived. */
const TRICKLE_MS = 500

const DAYS = 28
const DAY_MS = 86_400_000

/** Hourly candles of all crypto assets. Each number gives another address, so that no answer is shared. */
function pathOf(number: number, ending = ''): string {
  const from = new Date(Date.now() - DAYS * DAY_MS).toISOString()
  return `/v1/candles${ending}?timeframe=1h&from=${from}&limit=${50_000 - number}`
}

/** Requests 24 of the largest JSON answers at once. */
export async function attackWithLargeAnswers(target: Target): Promise<WatchedRun<Outcomes>> {
  const server = await target.start()
  const agent = new Agent({ keepAlive: true })
  const headers = { 'x-api-key': target.gateway.world.apiKey }
  try {
    return await watchProcess(server, async () => {
      const results = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, number) =>
          get({ port: server.port, agent, path: pathOf(number), headers, timeoutMs: ANSWER_MS }),
        ),
      )
      return countOutcomes(results)
    })
  } finally {
    agent.destroy()
    await server.stop()
  }
}

/** Requests 80 of the largest exports at once and reads each slowly. Returns how many were refused at once. */
export async function attackWithSlowExports(target: Target): Promise<WatchedRun<Outcomes>> {
  const server = await target.start()
  try {
    return await watchProcess(server, async () => {
      const counts = { answered: 0, refused: 0 }
      const sockets = Array.from({ length: EXPORTS }, (_, number) => {
        const socket = connect(server.port, '127.0.0.1').on('error', () => {})
        socket.write(requestText(target, pathOf(number, '.ndjson')))
        socket.once('data', (chunk) => {
          if (chunk.toString('latin1').startsWith('HTTP/1.1 200')) counts.answered += 1
          else counts.refused += 1
        })
        socket.on('data', () => {
          socket.pause()
          setTimeout(() => socket.resume(), TRICKLE_MS)
        })
        return socket
      })
      await sleep(HELD_MS)
      for (const socket of sockets) socket.destroy()
      return counts
    })
  } finally {
    await server.stop()
  }
}

/** Sends 16 requests for one large answer on each of 200 connections, and reads nothing. Returns the memory of the kernel. */
export async function attackWithPipelines(target: Target): Promise<WatchedRun<string>> {
  const server = await target.start()
  const agent = new Agent()
  const path = pathOf(0)
  const headers = { 'x-api-key': target.gateway.world.apiKey }
  try {
    const { bytes } = await get({ port: server.port, agent, path, headers, timeoutMs: ANSWER_MS }) // now cached
    return await watchProcess(server, async () => {
      const sockets = Array.from({ length: PIPELINED }, () => {
        const socket = connect(server.port, '127.0.0.1').pause()
        socket.on('error', () => {})
        socket.write(requestText(target, path).repeat(REQUESTS_PER_CONNECTION))
        return socket
      })
      const before = kernelBytes()
      let most = 0
      for (let waited = 0; waited < HELD_MS; waited += TRICKLE_MS) {
        await sleep(TRICKLE_MS)
        most = Math.max(most, kernelBytes() - before)
      }
      for (const socket of sockets) socket.destroy()
      return `${PIPELINED} connections, answers of ${bytes} bytes, ${fixed(most / MEBIBYTE)} MiB in the kernel`
    })
  } finally {
    agent.destroy()
    await server.stop()
  }
}

const PAGE_BYTES = 4_096

/** Memory of all TCP connections of the machine, both ends of those on loopback. */
function kernelBytes(): number {
  const pages = /^TCP:.* mem (\d+)$/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]
  return Number(pages ?? 0) * PAGE_BYTES
}

function requestText({ gateway }: Target, path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${gateway.world.apiKey}\r\n\r\n`
}
