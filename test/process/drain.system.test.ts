import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { cleanUp, type Gateway, START_MS, seededDataDir, startGateway } from './gateway.js'

afterAll(cleanUp)

const CLIENTS = 16

interface Outcome {
  answered: number
  lost: readonly string[]
  /** Whether the last response said that its connection ends. */
  isAnnounced: boolean
}

/** Asks on one connection, with pauses that leave it idle now and then, until no new connection is taken. */
async function askUntilRefused({ url }: Gateway, pauseMs: number, outcome: Outcome): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    try {
      const { status, connection } = await ask(`${url}/healthz`, agent)
      if (status !== 200) outcome.lost = [...outcome.lost, `status ${status}`]
      outcome.answered += 1
      outcome.isAnnounced = connection === 'close'
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException
      if (code !== 'ECONNREFUSED') outcome.lost = [...outcome.lost, code]
      agent.destroy()
      return
    }
    await sleep(pauseMs)
  }
}

function ask(
  url: string,
  agent: Agent,
): Promise<{ status?: number | undefined; connection?: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent }, (response) => {
      response.resume()
      response.on('end', () =>
        resolve({ status: response.statusCode, connection: response.headers.connection }),
      )
    })
    asked.on('error', reject)
    asked.end()
  })
}

it(
  'SIGTERM under 16 keep-alive connections loses no request, and tells each that its connection ends',
  async () => {
    const gateway = await startGateway({ DATA_DIR: await seededDataDir() })
    const outcomes = Array.from(
      { length: CLIENTS },
      (): Outcome => ({ answered: 0, lost: [], isAnnounced: false }),
    )
    const clients = outcomes.map((outcome, index) =>
      askUntilRefused(gateway, index % 4 === 0 ? 100 : 0, outcome),
    )
    // Each has its connection, and uses it again.
    await eventually(() => expect(Math.min(...outcomes.map(({ answered }) => answered))).toBeGreaterThan(1))
    const ended = gateway.stop('SIGTERM')
    await Promise.all(clients)
    expect(outcomes.flatMap(({ lost }) => lost)).toEqual([])
    expect(outcomes.every(({ isAnnounced }) => isAnnounced)).toBe(true)
    expect((await ended).code).toBe(0)
  },
  START_MS,
)
