import type { Socket } from 'node:net'
import { loadConfig } from '../config.js'
import { callGateway, connectGateway } from '../control/call-gateway.js'
import { type CommandCall, Interrupted } from '../control/command-call.js'
import { type CommandName, toControlPath } from '../control/protocol.js'
import type { CommandRun } from './command-world.js'

/** Exit code that shells use for an interrupted program. */
const INTERRUPTED_EXIT = 130

export interface StartOptions {
  /** Whether the arguments need the database. If not, this process does the work. Default: always. */
  readonly needsDatabase?: (args: readonly string[]) => boolean
  /** Exit code if the command could not run to its end; default 1. */
  readonly failedExit?: number
}

/**
 * Runs a command and sets the exit code. If a gateway holds the embedded database, it does the work; otherwise this process
 * loads the code and does it.
 */
export async function startCommand(
  name: CommandName,
  load: () => Promise<CommandRun>,
  { needsDatabase = () => true, failedExit = 1 }: StartOptions = {},
): Promise<void> {
  const call = ownCall()
  try {
    const socket = isHelp(call.args) || !needsDatabase(call.args) ? null : await gatewayOf(process.env)
    const code =
      socket === null
        ? await (await load())(call, { env: process.env, shared: null })
        : await callGateway(socket, name, call)
    process.exitCode = call.signal.aborted && code !== 0 ? INTERRUPTED_EXIT : code
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = failedExit
  }
}

function isHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** Longest wait for an interrupted command. A database that does not answer would delay it for a minute. */
const END_MS = 5_000

/** The first interruption aborts the command. The second one, or the time limit, ends the process. */
function ownCall(): CommandCall {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED_EXIT)
    setTimeout(() => process.exit(INTERRUPTED_EXIT), END_MS).unref()
    controller.abort(new Interrupted('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  return {
    args: process.argv.slice(2),
    directory: null,
    isTerminal: process.stderr.isTTY === true,
    signal: controller.signal,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  }
}

/** Connects to the gateway that holds the embedded database. Null if none does, or if the database is a server. */
async function gatewayOf(env: NodeJS.ProcessEnv): Promise<Socket | null> {
  const dataDir = embeddedDirectory(env)
  const path = dataDir === null ? null : toControlPath(dataDir)
  return path === null ? null : connectGateway(path)
}

function embeddedDirectory(env: NodeJS.ProcessEnv): string | null {
  try {
    const { databaseUrl, dataDir } = loadConfig(env)
    return databaseUrl === null ? dataDir : null
  } catch {
    return null // the command reports the invalid configuration
  }
}
