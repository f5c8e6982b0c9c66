import { existsSync } from 'node:fs'
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

/** Longer than building a template takes on a busy machine. */
const BUILD_MS = 120_000

/** Runs the build in one worker of the run; the others wait for it, and all fail with its error. */
export async function onceForRun(name: string, build: () => Promise<void>): Promise<void> {
  const result = join(inject('runDirectory'), `${name}.built`)
  if (await isFirst(`${result}.lock`)) {
    const failure = await build().then(
      () => '',
      (error: unknown) => String(error instanceof Error ? error.stack : error),
    )
    await writeFile(`${result}.new`, failure)
    await rename(`${result}.new`, result) // appears complete or not at all
  }
  for (const deadline = Date.now() + BUILD_MS; !existsSync(result); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`${name} was not built in ${BUILD_MS} ms`)
  }
  const failure = await readFile(result, 'utf8')
  if (failure !== '') throw new Error(`${name} could not be built: ${failure}`)
}

async function isFirst(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
