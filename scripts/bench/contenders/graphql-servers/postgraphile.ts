import { createServer } from 'node:http'
import { grafserv } from 'grafserv/node'
import { printSchema } from 'graphql'
import pg from 'pg'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { SCHEMA, VIEWS } from './views.js'

/** The default number of connections of a gateway process. */
const POOL_SIZE = 10

/** Creates the views if they do not exist. */
async function prepare(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query(`select to_regclass('${SCHEMA}.rate') is null as missing`)
    if (rows[0].missing) await client.query(`begin; ${VIEWS}; commit`)
  } finally {
    await client.end()
  }
}

const connectionString = process.env.DATABASE_URL ?? ''
await prepare(connectionString)

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: [SCHEMA], poolConfig: { max: POOL_SIZE } })],
  grafserv: { graphiql: false, watch: false, websockets: false, graphqlPath: '/graphql' },
  grafast: { explain: false },
})

if (process.argv.includes('--print')) {
  process.stdout.write(`${printSchema(await instance.getSchema())}\n`)
  process.exit()
}

const serv = instance.createServ(grafserv)
const server = createServer()
await serv.addTo(server)
server.listen(Number(process.env.PORT), '127.0.0.1')
