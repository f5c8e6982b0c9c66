/** Whether the work settles in time; a failure counts as settled. The work itself continues. */
export async function settledWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = work.then(
    () => true,
    () => true,
  )
  const isSettled = await Promise.race([settled, late])
  clearTimeout(timer)
  return isSettled
}
