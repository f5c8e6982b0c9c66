import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { compiled } from './compiled.js'

/**
 * Runs a command on the file at `path`, made here, that holds `body` and does not end: kills the command once it has read
 * the body but for what a pipe holds, and so in the middle of its work. Answers the signal that ended it.
 */
export async function killedMidFile(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { path, body }: { readonly path: string; readonly body: string },
): Promise<NodeJS.Signals | null> {
  await promisify(execFile)('mkfifo', [path])
  const child = spawn(process.execPath, [await compiled(script), ...args], { env, stdio: 'ignore' })
  const ended = once(child, 'close')
  // Opening a pipe waits for its other end, which a command that ended early never opened.
  void ended.then(() => open(path, 'r+').then((pipe) => pipe.close()))
  const pipe = await open(path, 'w')
  try {
    await pipe.writeFile(body)
    child.kill('SIGKILL')
    return (await ended)[1]
  } finally {
    await pipe.close()
  }
}
