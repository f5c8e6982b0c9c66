import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What a process needs for itself, and slices of what it reads. */
const MAX_HEAP_MB = 44

/** What the file prints as JSON when it reads a body of so many bytes, in a process with a heap that cannot hold the body's rows. */
export async function readInSmallHeap(file: string, bytes: number) {
  const command = [`--max-old-space-size=${MAX_HEAP_MB}`, '--import', 'tsx', file, String(bytes)]
  const { stdout } = await promisify(execFile)(process.execPath, command)
  return JSON.parse(stdout)
}
