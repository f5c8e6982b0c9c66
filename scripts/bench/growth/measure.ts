import type { ReadPath } from './read-path.js'
import type { Stage } from './stage.js'

const WARM_UP_ROUNDS = 3

/** Number of reads per path, round and size. */
const READS = 5

/** Milliseconds of every read by path and stage. */
export type Timings = ReadonlyMap<ReadPath, ReadonlyMap<Stage, readonly number[]>>

/** Reads a path at each size in turn, so that noise of the machine affects all sizes equally. */
export async function measure(
  stages: readonly Stage[],
  paths: readonly ReadPath[],
  rounds: number,
): Promise<Timings> {
  const timings = new Map(
    paths.map((path) => [path, new Map(stages.map((stage) => [stage, [] as number[]]))]),
  )
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const path of paths) {
      for (let read = 0; read < READS; read++) {
        for (const stage of fromAnother(stages, round + read)) {
          const milliseconds = await timed(path, stage)
          if (round >= 0) timings.get(path)?.get(stage)?.push(milliseconds)
        }
      }
    }
  }
  return timings
}

/** Rotates the order of the stages. */
function fromAnother(stages: readonly Stage[], time: number): readonly Stage[] {
  const first = Math.abs(time) % stages.length
  return [...stages.slice(first), ...stages.slice(0, first)]
}

async function timed(path: ReadPath, { database, scale }: Stage): Promise<number> {
  const startedAt = performance.now()
  await path.read(database, scale)
  return performance.now() - startedAt
}
