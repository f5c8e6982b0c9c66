/** Between the growth of work that reads each part once and of work that reads it for each other one. */
export const MOST_GROWTH = 24

/**
 * How many times as much processor time the work takes for eight times its size: about 8 where each part is read once, 64 where
 * each part is read again for each other one. Of several runs the quickest counts: it has the least of what the runtime does.
 */
export async function cpuGrowth(size: number, work: (size: number) => unknown): Promise<number> {
  await work(size)
  return (await leastCpu(8 * size, work)) / (await leastCpu(size, work))
}

async function leastCpu(size: number, work: (size: number) => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run += 1) {
    const before = process.cpuUsage()
    await work(size)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return least
}
