import type { CommandRun } from '../command-world.js'
import { verifyConsensus } from './consensus.js'
import { verifySnapshot } from './snapshot.js'

/** Exit code if the check was not possible. */
const NOT_CHECKED_EXIT = 2

/** Runs `verify`, which recalculates a published price, or checks that a snapshot is unchanged. Writes nothing. */
export const runVerify: CommandRun = async (call, world) => {
  try {
    if (call.args[0] !== 'snapshot') return await verifyConsensus(call, world)
    return await verifySnapshot({ ...call, args: call.args.slice(1) }, world)
  } catch (error) {
    call.err(`${error instanceof Error ? error.message : String(error)}\n`)
    return NOT_CHECKED_EXIT
  }
}
