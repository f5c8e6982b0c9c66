import { randomInt } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './target.js'

/** Longest a client waits before it closes the connection. */
const PATIENCE_MS = 10

/** How long a stream stays open. */
const STREAM_MS = 3_000

/** Most open streams. An account may have ten. */
const MAX_STREAMS = 5

let streams = 0

/** A client action that ends without a response. */
export function runOddity(target: Target): Promise<void> {
  const oddities = [hangUp, stopHalfway, followChanges] as const
  return (oddities[randomInt(oddities.length)] ?? hangUp)(target)
}

/** Sends a request and disconnects before the response. */
async function hangUp({ url, apiKey }: Target): Promise<void> {
  const abort = new AbortController()
  const answered = fetch(`${url}/v1/assets?limit=100&offset=${randomInt(10)}`, {
    headers: { 'x-api-key': apiKey },
    signal: abort.signal,
  }).then((response) => response.text())
  setTimeout(() => abort.abort(), randomInt(PATIENCE_MS))
  await answered.then(ignore, ignore)
}

/** Opens a connection, sends a part of a request and disconnects. */
async function stopHalfway({ url, apiKey }: Target): Promise<void> {
  const { hostname, port } = new URL(url)
  const head = `POST /graphql HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`
  const socket = connect(Number(port), hostname)
  socket.on('error', ignore)
  socket.write(`${head}{"query":"{ assets { data`)
  await sleep(randomInt(PATIENCE_MS) + 1)
  socket.destroy()
}

/** Opens a subscription as server-sent events and closes it after a while. */
async function followChanges({ url, apiKey }: Target): Promise<void> {
  if (streams >= MAX_STREAMS) return
  streams += 1
  const abort = new AbortController()
  setTimeout(() => abort.abort(), STREAM_MS)
  const followed = fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'subscription { ai_analysis_changes { cursor } }' }),
    signal: abort.signal,
  }).then((response) => response.text())
  await followed.then(ignore, ignore)
  streams -= 1
}

function ignore(): void {}
