import pg from 'pg'

/**
 * Presents one connection as a pool, which is all that Prisma's adapter accepts. The adapter only calls `query` with a
 * configuration. It opens no connection.
 */
export class PrismaConnection extends pg.Pool {
  constructor(run: (config: pg.QueryConfig) => Promise<pg.QueryResult>) {
    super()
    this.query = run as pg.Pool['query'] // the one of its signatures that the adapter uses
  }
}
