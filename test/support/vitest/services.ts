import { createConnection } from 'node:net'
import pg from 'pg'

export const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/postgres'
export const REDIS_URL = process.env.REDIS_TEST_URL ?? 'redis://127.0.0.1:6379'

const ANSWER_MS = 2_000

/** Throws where no PostgreSQL answers. */
export async function askPostgres(url: string): Promise<void> {
  await onServer(url, (client) => client.query('SELECT 1'))
}

/** Runs the work on a connection of its own. */
export async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Throws where no Redis answers. A PING in Redis' own words: no client with its reconnecting is needed to see whether one
 * answers.
 */
export function askRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port || 6379) })
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`no answer in ${ANSWER_MS} ms`)))
    socket.on('error', reject)
    socket.on('connect', () => socket.write('PING\r\n'))
    socket.on('data', () => {
      socket.destroy()
      resolve() // an error such as NOAUTH is an answer too
    })
  })
}
