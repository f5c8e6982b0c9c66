import { Agent } from 'node:http'
import type { Target } from '../shared/target.js'
import { post } from './post.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

const ADDRESSES = 40
/** Registrations of one address and hour. */
const PER_ADDRESS = 10
const ANSWER_MS = 30_000
const EMAIL = 'victim@example.org'
const PASSWORD = 'correct horse battery'

interface Guesses {
  /** Guesses that the gateway compared with the victim's password. */
  readonly compared: number
  readonly refused: number
  /** The answer to the right password, the last guess. */
  readonly rightPassword: string
}

/** Guesses one account's password through `register` from many addresses; the last guess is right. */
export async function attackWithGuesses(target: Target): Promise<WatchedRun<Guesses>> {
  const server = await target.start({ TRUST_PROXY: 'true' })
  const agent = new Agent({ keepAlive: true })
  const register = (password: string, address: string) =>
    post({
      port: server.port,
      agent,
      query: `mutation { register(email: "${EMAIL}", password: "${password}") { expires_in } }`,
      headers: { 'x-forwarded-for': address, accept: 'application/graphql-response+json' },
      timeoutMs: ANSWER_MS,
    })
  try {
    await register(PASSWORD, '198.51.100.1')
    return await watchProcess(server, async () => {
      let [compared, refused] = [0, 0]
      for (let number = 0; number < ADDRESSES * PER_ADDRESS; number += 1) {
        const address = `203.0.113.${Math.floor(number / PER_ADDRESS) + 1}`
        const { outcome } = await register(`guessed password ${number}`, address)
        if (outcome === '200') compared += 1
        else refused += 1
      }
      const { outcome } = await register(PASSWORD, '203.0.113.250')
      return { compared, refused, rightPassword: outcome }
    })
  } finally {
    agent.destroy()
    await server.stop()
  }
}
