import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from '../core/has-code.js'
import { type Finding, ok, problem, warning } from './finding.js'

const MIB = 1_048_576
const LOW_DISK_MIB = 1_024
const FULL_DISK_MIB = 200

/** Checks the free space for a directory. */
export async function checkDirectory(directory: string): Promise<Finding> {
  const free = await freeMib(directory)
  const message = `${free < 10_240 ? `${free} MiB` : `${Math.floor(free / 1_024)} GiB`} free for ${directory}`
  if (free >= LOW_DISK_MIB) return ok('disk', message)
  const advice = 'free disk space, or move the directory; a full disk prevents all writes'
  return free < FULL_DISK_MIB ? problem('disk', message, advice) : warning('disk', message, advice)
}

/** Free space of the directory, or of its nearest existing parent. */
async function freeMib(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return Math.floor((bavail * bsize) / MIB)
  } catch (error) {
    const parent = dirname(directory)
    if (!hasCode(error, 'ENOENT') || parent === directory) throw error
    return freeMib(parent)
  }
}
