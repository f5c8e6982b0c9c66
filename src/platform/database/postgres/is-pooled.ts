import pg from 'pg'

/** Longest wait for a connection and an answer. */
const ANSWER_MS = 5_000

/**
 * Whether a pooler such as PgBouncer is between this process and PostgreSQL. A pooler gives clients its own process id,
 * which differs from the process id that the server reports.
 */
export async function isPooled(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  })
  client.on('error', () => {}) // the statement that waits gets the error
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // pg keeps the process id from the start of the connection; its types lack it.
    const { processID } = client as pg.Client & { readonly processID: number | null }
    return processID !== rows[0]?.pid
  } finally {
    await client.end()
  }
}
