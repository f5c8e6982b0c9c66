import { execFileSync } from 'node:child_process'

const ANSWER_MS = 5_000

/** The registry that npm installs from. Where it does not answer, a line says what is skipped. */
export async function findRegistry(skipped: string) {
  const url = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const ping = fetch(new URL('-/ping', url), { signal: AbortSignal.timeout(ANSWER_MS) })
  const isReachable = await ping.then(
    () => true,
    () => false,
  )
  if (!isReachable) process.stderr.write(`${url} does not answer: ${skipped} is skipped\n`)
  return { url, isReachable }
}
