import pg from 'pg'

/**
 * One connection as Prisma's adapter takes it, which accepts nothing but a pool: it calls `query` alone, with a
 * configuration. Opens nothing by itself.
 */
export class PrismaConnection extends pg.Pool {
  constructor(run: (config: pg.QueryConfig) => Promise<pg.QueryResult>) {
    super()
    this.query = run as pg.Pool['query'] // the one of its signatures that the adapter uses
  }
}
