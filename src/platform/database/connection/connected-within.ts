import type pg from 'pg'

/** The connection, or an error with this text. A connection that comes too late goes back to the pool. */
export function connectedWithin(
  ms: number,
  connecting: Promise<pg.PoolClient>,
  text: string,
): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Error(text))
    }, ms)
    connecting.then(
      (client) => {
        clearTimeout(timer)
        if (isLate) client.release()
        else resolve(client)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
