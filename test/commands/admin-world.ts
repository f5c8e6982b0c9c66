import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ACCESS_PARTS } from '../../src/access.js'
import { databaseTarget, loadConfig } from '../../src/config.js'
import { systemClock } from '../../src/core/time.js'
import { createAccess } from '../../src/domains/access/service.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { createLogger } from '../../src/platform/logger.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  copyEmbeddedWorld,
  copyPostgresWorld,
  createPostgresDatabase,
  type DatabaseKind,
  dropPostgresDatabase,
  type StartedWorld,
} from '../support/database/database.js'
import { type Printed, runScript } from '../support/processes/run-script.js'

/** The environment of an installation: a database of the kind, and what it needs to start. */
export interface Installation {
  readonly env: NodeJS.ProcessEnv
  remove(): Promise<void>
}

/** Its database holds the world; without one it is blank. */
export async function newInstallation(kind: DatabaseKind, world?: StartedWorld): Promise<Installation> {
  const home = await mkdtemp(join(tmpdir(), 'mdg-admin-'))
  const dataDir = join(home, 'data')
  const url = kind === 'postgres' ? await (world ? copyPostgresWorld(world) : createPostgresDatabase()) : ''
  if (kind === 'pglite' && world) await copyEmbeddedWorld(world, dataDir)
  return {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: url, ...(url && OWN_SECRETS) },
    remove: async () => {
      await rm(home, { recursive: true, force: true })
      if (url !== '') await dropPostgresDatabase(url)
    },
  }
}

/** The real script in a process of its own. */
export async function runAdmin(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Printed> {
  const printed = await runScript('src/commands/admin.ts', args, env)
  const { code, err } = printed
  if (code !== 0 && code !== 1) throw new Error(`the script ended with ${code}: ${err}`)
  return printed
}

/** Opens the installation's database for as long as the work takes. */
export async function inDatabase<T>(
  { env }: Installation,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(databaseTarget(loadConfig(env)))
  return work(database).finally(() => database.close())
}

/** The tier and scopes that a key gets in with; throws when it does not. */
export function enter(database: Database, env: NodeJS.ProcessEnv, apiKey: string) {
  const config = loadConfig(env)
  const access = createAccess({
    database,
    clock: systemClock,
    log: createLogger('silent'),
    pepper: config.keyPepper,
    tokenKeys: config.jwtKeys,
    mode: 'test',
    ...ACCESS_PARTS,
  })
  return access.authenticate({ apiKey, bearer: null }).finally(() => access.close())
}

/** The same in the installation's database. */
export function enterWith(installation: Installation, apiKey: string) {
  return inDatabase(installation, (database) => enter(database, installation.env, apiKey))
}
