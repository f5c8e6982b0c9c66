import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Names of directories that are being written or removed begin with it. They belong to no release. */
export const UNFINISHED = '.writing-'

/** Removes what killed processes left, and creates an empty directory. */
export async function beginWriting(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  await removeUnfinished(parent)
  const directory = join(parent, `${UNFINISHED}${process.pid}-${Date.now()}`)
  await mkdir(directory)
  return directory
}

/** Removes what a killed process was writing or removing. */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent))
    if (name.startsWith(UNFINISHED)) await rm(join(parent, name), { recursive: true, force: true })
}

/** Writes chunks to a new file, as fast as the disk takes them, and returns its size and hash. */
export async function writeFileOf(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx')
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}
