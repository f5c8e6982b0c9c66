import { stat } from 'node:fs/promises'
import { unlessMissing } from '../../platform/unless-missing.js'
import { UsageError } from '../usage-error.js'

/** Throws UsageError if the file exists, or an unfinished one. */
export async function assertNewFile(path: string): Promise<void> {
  if (await fileExists(path)) throw new UsageError(`${path} exists already: name a new file`)
  const partial = `${path}.partial`
  if (await fileExists(partial))
    throw new UsageError(
      `${partial} is left of a command that was killed, or one is writing it: remove it in the first case`,
    )
}

export function fileExists(path: string): Promise<boolean> {
  return unlessMissing(
    stat(path).then(() => true),
    false,
  )
}
