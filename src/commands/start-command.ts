import type { Socket } from 'node:net'
import { loadConfig } from '../config.js'
import { callGateway, connectGateway } from '../control/call-gateway.js'
import { type CommandCall, Interrupted } from '../control/command-call.js'
import { type CommandName, toControlPath } from '../control/protocol.js'
import type { CommandRun } from './command-world.js'

/** As shells have it for a program that was interrupted. */
const INTERRUPTED_EXIT = 130

export interface StartOptions {
  /** Whether these arguments need the database; else this process does the work by itself. Left out: they all do. */
  readonly needsDatabase?: (args: readonly string[]) => boolean
  /** Exit code where the work could not be begun or ended; 1 when left out. */
  readonly failedExit?: number
}

/**
 * Runs a command of this process: the gateway that holds the embedded database does its work, else this process itself,
 * which loads the code for it only then. Sets the exit code.
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

/** Longest that the work may take to end once it is interrupted: a database that is silent would hold it for a minute. */
const END_MS = 5_000

/** The first interruption asks the work to end; the second, or the end of its time, ends the process. */
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

/** A connection to the gateway that holds the configured embedded database; null: none does, or there is a server. */
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
    return null // the command itself says what is wrong with the configuration
  }
}
