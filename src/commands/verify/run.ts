import type { CommandRun } from '../command-world.js'
import { verifyConsensus } from './consensus.js'
import { verifySnapshot } from './snapshot.js'

/** Neither equal nor not: the check could not be made. */
const NOT_CHECKED_EXIT = 2

/** `verify`: calculates a published price again, or checks that a snapshot is as it was written. Changes nothing. */
export const runVerify: CommandRun = async (call, world) => {
  try {
    if (call.args[0] !== 'snapshot') return await verifyConsensus(call, world)
    return await verifySnapshot({ ...call, args: call.args.slice(1) }, world)
  } catch (error) {
    call.err(`${error instanceof Error ? error.message : String(error)}\n`)
    return NOT_CHECKED_EXIT
  }
}
