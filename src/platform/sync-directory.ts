import { open } from 'node:fs/promises'

/** Makes a rename in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
