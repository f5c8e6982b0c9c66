import type { CommandRun } from '../../../src/commands/command-world.js'
import type { Printed } from './run-script.js'

/**
 * Does the work of a command in this process, as the gateway does that of a command beside it: a process of its own takes a
 * second to start. What an error that the command lets through would print is not tried here.
 */
export async function runCommand(
  run: CommandRun,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  let [out, err] = ['', '']
  const call = {
    args,
    directory: null,
    isTerminal: false,
    signal: new AbortController().signal,
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
  }
  const code = await run(call, { env, shared: null })
  return { code, out, err }
}
