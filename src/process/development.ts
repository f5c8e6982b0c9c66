import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { configuredAccess } from '../assembly/configured-access.js'
import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import type { Access } from '../domains/access/model.js'
import { createAccountWithKey } from '../domains/access/operator.js'
import { seedWorld } from '../ingest/seed/seed-world.js'
import type { Database } from '../platform/database/database.js'
import { makeWritableDirectory } from '../platform/database/private-files.js'
import type { Logger } from '../platform/logger.js'
import { TIERS, type Tier } from '../policy/tiers.js'

const NAMES = [...TIERS, 'admin'] as const

/** For a HOST beyond loopback. */
const EXPOSED =
  '  Other machines reach this gateway, and these keys open it: the pages do not show them; keep them to yourself.'

/** Read from the file; each is checked against the database before use. */
const KeptKeys = z.record(z.string(), z.string())

/** One key per tier, and one with the admin grant. */
export type DevelopmentKeys = Readonly<Record<Tier | 'admin', string>>

/** What a development start adds: the synthetic world, and a key per tier in DATA_DIR/dev-keys.json (mode 600). */
export async function prepareDevelopment(
  database: Database,
  config: Config,
  clock: Clock,
  log: Logger,
): Promise<DevelopmentKeys> {
  makeWritableDirectory(config.dataDir) // before the work of seeding, since the keys are written after it
  await seedWorld(database, clock.now(), undefined, ({ part, number, of }) =>
    log.info({ part, step: `${number}/${of}` }, 'seeding synthetic data'),
  )
  const access = configuredAccess(config, { database, clock, log })
  try {
    return await developmentKeys(access, config.dataDir)
  } finally {
    await access.close()
  }
}

/** Keys of an earlier start are kept while this database still accepts them. */
async function developmentKeys(access: Access, dataDir: string): Promise<DevelopmentKeys> {
  const path = join(dataDir, 'dev-keys.json')
  const kept = await readKeys(path)
  const entries = await Promise.all(
    NAMES.map(async (name) => {
      const key = kept[name]
      return [name, key && (await isTaken(access, key)) ? key : await makeKey(access, name)] as const
    }),
  )
  const keys = Object.fromEntries(entries) as unknown as DevelopmentKeys // an entry per name
  await writeFile(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  await chmod(path, 0o600) // the mode above is for a new file only
  return keys
}

async function readKeys(path: string): Promise<Partial<Record<string, string>>> {
  try {
    return KeptKeys.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return {} // no earlier start, or a file with other content: new keys replace it
  }
}

async function isTaken(access: Access, apiKey: string): Promise<boolean> {
  return access.authenticate({ apiKey, bearer: null }).then(
    () => true,
    () => false,
  )
}

async function makeKey(access: Access, name: Tier | 'admin'): Promise<string> {
  const tier = name === 'admin' ? 'enterprise' : name
  const grants = name === 'admin' ? (['admin'] as const) : []
  const key = await createAccountWithKey(access, { tier, grants, label: `development ${name}`, mode: 'test' })
  return key.raw_key
}

/** The key shown to who opens the pages; null where other machines may open them. */
export function shownKey({ isExposed }: Config, keys: DevelopmentKeys | null): string | null {
  return isExposed ? null : (keys?.pro ?? null)
}

/** What a developer needs to begin: addresses and keys. */
export function welcomeText(
  { url, metricsUrl }: { readonly url: string; readonly metricsUrl: string },
  config: Config,
  keys: DevelopmentKeys,
): string {
  const width = Math.max(...NAMES.map((name) => name.length))
  return [
    '',
    'Market data gateway (development: synthetic seed data, is_dev_dataset: true)',
    '',
    `  GraphiQL    ${url}/graphql`,
    `  REST docs   ${url}/docs`,
    `  OpenAPI     ${url}/openapi.json`,
    `  Metrics     ${metricsUrl}/metrics`,
    '',
    ...(config.isExposed ? [EXPOSED, ''] : []),
    `  Development keys (also in ${join(config.dataDir, 'dev-keys.json')}):`,
    ...NAMES.map((name) => `    ${name.padEnd(width)}  ${keys[name]}`),
    '',
    `  curl -H 'X-API-Key: ${keys.free}' '${url}/v1/forex?quote=USD'`,
    '',
    '',
  ].join('\n')
}
