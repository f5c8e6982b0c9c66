import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { compiled } from './compiled.js'

/** A TypeScript file running in a process of its own. */
export interface Child {
  readonly pid: number
  /** The next line it prints; throws with its error output when it ends first. */
  line(): Promise<string>
  send(text: string): void
  /** Ends it with the signal; answers the lines printed since the last `line()`. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<readonly string[]>
}

export async function startChild(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = spawn(process.execPath, [await compiled(file), ...args], {
    env: { ...process.env, ...env },
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${file} did not start`)
  const errors: string[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'exit')
  return {
    pid,
    line: async () => {
      const next = await lines.next()
      if (next.done === true) throw new Error(`${file} ended: ${errors.join('')}`)
      return next.value
    },
    send: (text) => {
      child.stdin.write(text)
    },
    kill: (signal) => killAndDrain(child, signal, lines, ended),
  }
}

async function killAndDrain(
  child: ChildProcessWithoutNullStreams,
  signal: 'SIGKILL' | 'SIGTERM',
  lines: AsyncIterator<string>,
  ended: Promise<unknown>,
): Promise<readonly string[]> {
  child.kill(signal)
  const rest: string[] = []
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) rest.push(next.value)
  await ended
  return rest
}
