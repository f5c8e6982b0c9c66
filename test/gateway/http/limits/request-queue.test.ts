import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { RequestQueue } from '../../../../src/gateway/http/limits/request-queue.js'

/** Enters that many requests in one turn and notes the order in which they start. */
function enter(turns: RequestQueue, names: readonly string[], started: string[]): void {
  for (const name of names) {
    const turn = turns.enter()
    if (turn === null) started.push(name)
    else turn.then(() => started.push(name))
  }
}

it('starts a fixed number of requests per turn of the event loop, the others in later turns, in order', async () => {
  const turns = new RequestQueue(2)
  const started: string[] = []
  enter(turns, ['a', 'b', 'c', 'd', 'e'], started)
  expect(started).toEqual(['a', 'b'])
  await nextTurn()
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  await nextTurn()
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e'])
})

it('queues later requests behind waiting ones', async () => {
  const turns = new RequestQueue(2)
  const started: string[] = []
  enter(turns, ['a', 'b', 'c', 'd', 'e'], started)
  await nextTurn()
  enter(turns, ['f', 'g'], started)
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  await nextTurn()
  await nextTurn()
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
})

it('starts at once again when no request waits', async () => {
  const turns = new RequestQueue(2)
  for (let turn = 0; turn < 5; turn++) {
    expect([turns.enter(), turns.enter()]).toEqual([null, null])
    await nextTurn()
  }
})
