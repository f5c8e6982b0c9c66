import type { CommandRun } from '../command-world.js'
import { verifyConsensus } from './consensus.js'
import { verifyReceipt } from './receipt.js'
import { verifyRelease } from './release.js'
import { verifySnapshot } from './snapshot.js'

/** Exit code if the check was not possible. */
const NOT_CHECKED_EXIT = 2

/** Runs `verify`, which recalculates a published price, or checks that a snapshot, a release or an answer is unchanged. Writes nothing. */
export const runVerify: CommandRun = async (call, world) => {
  try {
    const [what, ...args] = call.args
    if (what === 'snapshot') return await verifySnapshot({ ...call, args }, world)
    if (what === 'receipt') return await verifyReceipt({ ...call, args }, world)
    if (what === 'release') return await verifyRelease({ ...call, args }, world)
    return await verifyConsensus(call, world)
  } catch (error) {
    call.err(`${error instanceof Error ? error.message : String(error)}\n`)
    return NOT_CHECKED_EXIT
  }
}
