import { join } from 'node:path'
import { z } from 'zod'
import { configuredAccess } from '../access.js'
import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import { DEVELOPMENT_NAMES, developmentLabel } from '../domains/access/accounts/development-accounts.js'
import type { Access } from '../domains/access/model.js'
import { createAccountWithKey } from '../domains/access/operator.js'
import { listServedInterfaces } from '../gateway/compat/served-interfaces.js'
import { seedWorld } from '../ingest/seed/seed-world.js'
import type { Database } from '../platform/database/database.js'
import {
  makeWritableDirectory,
  readPrivateFile,
  writePrivateFile,
} from '../platform/database/embedded/private-files.js'
import type { Logger } from '../platform/logger.js'
import type { Tier } from '../policy/tiers.js'

/** For a HOST beyond loopback. */
const EXPOSED =
  '  Other machines reach this gateway, and these keys open it: the pages do not show them; keep them to yourself.'

/** The contents of the file; each key is checked against the database before use. */
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

/** Reuses the keys of an earlier start while this database accepts them. */
async function developmentKeys(access: Access, dataDir: string): Promise<DevelopmentKeys> {
  const path = join(dataDir, 'dev-keys.json')
  const kept = await readKeys(path)
  const entries = await Promise.all(
    DEVELOPMENT_NAMES.map(async (name) => {
      const key = kept[name]
      return [name, key && (await isTaken(access, key)) ? key : await makeKey(access, name)] as const
    }),
  )
  const keys = Object.fromEntries(entries) as unknown as DevelopmentKeys // an entry per name
  await writePrivateFile(path, `${JSON.stringify(keys, null, 2)}\n`)
  return keys
}

async function readKeys(path: string): Promise<Partial<Record<string, string>>> {
  try {
    return KeptKeys.parse(JSON.parse(await readPrivateFile(path)))
  } catch {
    return {} // no earlier start, a link, or a file with other content: new keys replace it
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
  const key = await createAccountWithKey(access, {
    tier,
    grants,
    label: developmentLabel(name),
    mode: 'test',
  })
  return key.raw_key
}

/** The key that the pages use: the demo key, else a development key, unless other machines may open the pages. */
export function shownKey({ demoKey, isExposed }: Config, keys: DevelopmentKeys | null): string | null {
  return demoKey ?? (isExposed ? null : (keys?.pro ?? null))
}

/** The addresses and keys that a developer needs to start. */
export function welcomeText(
  { url, metricsUrl }: { readonly url: string; readonly metricsUrl: string },
  config: Config,
  keys: DevelopmentKeys,
): string {
  const width = Math.max(...DEVELOPMENT_NAMES.map((name) => name.length))
  return [
    '',
    'Market data gateway (development: synthetic seed data, is_dev_dataset: true)',
    '',
    `  Portal      ${url}/`,
    `  GraphiQL    ${url}/graphql`,
    `  REST docs   ${url}/docs`,
    `  Guides      ${url}/docs/guides`,
    `  Agents      ${url}/mcp`,
    ...listServedInterfaces(config.compat, config.compatOpen).map(
      ({ path, title }) => `  Compatible  ${url}${path} (${title})`,
    ),
    `  OpenAPI     ${url}/openapi.json`,
    `  Metrics     ${metricsUrl}/metrics`,
    '',
    ...(config.isExposed ? [EXPOSED, ''] : []),
    `  Development keys (also in ${join(config.dataDir, 'dev-keys.json')}):`,
    ...DEVELOPMENT_NAMES.map((name) => `    ${name.padEnd(width)}  ${keys[name]}`),
    '',
    '  Open the portal in a browser, or call the API:',
    `  curl -H 'X-API-Key: ${keys.free}' '${url}/v1/forex?quote=USD'`,
    '',
    '',
  ].join('\n')
}
