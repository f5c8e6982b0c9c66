import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, expect, it } from 'vitest'
import { compiled } from '../support/processes/compiled.js'

const LINES = 50_000
const MAX_UNREAD_BYTES = 1_000_000

let child: ChildProcessWithoutNullStreams | null = null

afterEach(() => {
  child?.kill('SIGKILL')
})

/** A process that has written more than may wait, none of which is read yet. */
async function startUnread(): Promise<ChildProcessWithoutNullStreams> {
  const file = await compiled('test/platform/children/unread-output.ts')
  child = spawn(process.execPath, [file, String(LINES), String(MAX_UNREAD_BYTES)])
  await once(child.stderr, 'data')
  return child
}

it('keeps a bounded part of unread output, and reports the number of lost lines once it is read', async () => {
  const { stdout, stdin } = await startUnread()
  const read: number[] = []
  let lost = 0
  for await (const line of createInterface({ input: stdout })) {
    const [, lines] = /^lost (\d+)$/.exec(line) ?? []
    if (lines === undefined) {
      if (line === 'last') break
      read.push(Number(line.split(' ', 1)[0]))
    } else {
      lost = Number(lines)
      stdin.write('end\n')
    }
  }
  expect(lost).toBeGreaterThan(0)
  expect(read.length + lost).toBe(LINES)
  expect(read).toEqual(Array.from(read, (_, index) => index))
  expect(read.length * 90).toBeLessThan(MAX_UNREAD_BYTES + 200_000) // what the pipe itself holds comes on top
})

it('ends the process although nobody reads', async () => {
  const unread = await startUnread()
  unread.stdin.write('end\n')
  const [code] = await once(unread, 'exit')
  expect(code).toBe(0)
})

it('ends the process although the reader has disconnected', async () => {
  const unread = await startUnread()
  unread.stdout.destroy()
  unread.stdin.write('end\n')
  const [code] = await once(unread, 'exit')
  expect(code).toBe(0)
})
