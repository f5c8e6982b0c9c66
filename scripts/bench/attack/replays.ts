import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeCursor } from '../../../src/core/change-position.js'
import { startServer } from '../shared/server-process.js'
import type { Target } from '../shared/target.js'
import { createEmbeddedWorld, SECRETS } from '../world.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

export interface ReplayResult {
  readonly events: number
  readonly bytes: number
  /** Units charged for all streams. */
  readonly units: number
}

const STREAMS = 10

/** A stream without events for this long has sent all changes. */
const QUIET_MS = 5_000

/** Longest wait for the first event, which is sent after all streams are open. */
const FIRST_MS = 60_000

const BURST_PER_MINUTE = '1000000000'

/** Six nested series of candles for each change, from the first change on. */
const QUERY = `subscription {
  ai_analysis_changes(cursor: "${changeCursor({ computedAt: new Date(0), diffId: 1 })}") {
    cursor
    item { asset { ${Array.from(
      { length: 6 },
      (_, alias) =>
        `a${alias}: ohlcv(timeframe: D1, limit: ${15 - (alias % 2)}) { candles { ts open high low close vwap_usd volume_usd consensus_status } }`,
    ).join(' ')} } }
  }
}`

/** Replays all changes over the streams of one account, on an embedded database, for at most this many seconds. */
export async function attackWithReplays(target: Target, seconds: number): Promise<WatchedRun<ReplayResult>> {
  const directory = mkdtempSync(join(tmpdir(), 'mdg-replays-'))
  try {
    const dataDir = join(directory, 'data')
    const key = await createEmbeddedWorld(dataDir)
    const env = { ...SECRETS, DATA_DIR: dataDir, METRICS_PORT: '0', SCHEDULE: 'off', BURST_PER_MINUTE }
    const server = await startServer({
      command: () => [target.node.path, target.gateway.script],
      env,
      core: target.cores?.servers ?? null,
    })
    try {
      return await watchProcess(server, () => replay(server.port, key, seconds))
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export async function replay(port: number, key: string, seconds: number): Promise<ReplayResult> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${port}`
  const stop = AbortSignal.timeout(seconds * 1000)
  const read = await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...headers, accept: 'text/event-stream' },
        body: JSON.stringify({ query: QUERY }),
      })
      return readAll(response, stop)
    }),
  )
  const usage = await fetch(`${url}/v1/usage`, { headers })
  const { policies } = (await usage.json()) as { policies: readonly { policy: string; used: number }[] }
  return {
    events: read.reduce((sum, { events }) => sum + events, 0),
    bytes: read.reduce((sum, { bytes }) => sum + bytes, 0),
    units: policies.find(({ policy }) => policy === 'hour')?.used ?? 0,
  }
}

/** Counts events until none arrives for a while, or the time is over. */
async function readAll(
  { body }: Response,
  stop: AbortSignal,
): Promise<{ readonly events: number; readonly bytes: number }> {
  let [events, bytes] = [0, 0]
  const reader = body?.getReader()
  const cancel = () => void reader?.cancel().catch(() => {}) // the stream may have failed
  let timer = setTimeout(cancel, FIRST_MS)
  stop.addEventListener('abort', cancel)
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    bytes += part.value.length
    const sent = Buffer.from(part.value).toString().split('event: next').length - 1
    events += sent
    if (sent === 0) continue
    clearTimeout(timer)
    timer = setTimeout(cancel, QUIET_MS)
  }
  clearTimeout(timer)
  return { events, bytes }
}
