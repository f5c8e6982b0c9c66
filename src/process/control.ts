import type { CommandRun } from '../commands/command-world.js'
import type { Config } from '../config.js'
import type { RunCommand } from '../control/command-call.js'
import { type Control, startControl } from '../control/control-server.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'

/** Runs the operator's commands for other processes if this one holds the embedded database; null on PostgreSQL. */
export async function startConfiguredControl(
  config: Config,
  database: Database,
  log: Logger,
): Promise<Control | null> {
  if (database.kind !== 'pglite') return null
  // Loaded at the first command: the gateway itself does not need it.
  const here =
    (load: () => Promise<CommandRun>): RunCommand =>
    async (call) =>
      (await load())(call, { env: process.env, shared: database })
  return startControl({
    dataDir: config.dataDir,
    log,
    commands: {
      ingest: here(async () => (await import('../commands/ingest/run.js')).runIngest),
      analyse: here(async () => (await import('../commands/analyse/run.js')).runAnalyse),
      key: here(async () => (await import('../commands/key/run.js')).runKey),
      admin: here(async () => (await import('../commands/admin/run.js')).runAdminCommand),
      release: here(async () => (await import('../commands/release/run.js')).runRelease),
      verify: here(async () => (await import('../commands/verify/run.js')).runVerify),
    },
  })
}
