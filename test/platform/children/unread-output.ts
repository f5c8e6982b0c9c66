// Writes so many numbered lines to standard output, says so on standard error, and ends when it is sent something.
// node unread-output.js LINES MAX_UNREAD_BYTES
import { once } from 'node:events'
import { openStandardOutput } from '../../../src/platform/standard-output.js'

const [lines, maxUnreadBytes] = process.argv.slice(2).map(Number)
const output = openStandardOutput({
  onLost: (lost) => output.write(`lost ${lost}\n`),
  ...(maxUnreadBytes !== undefined && { maxUnreadBytes }),
})
for (let line = 0; line < (lines ?? 0); line += 1) output.write(`${line} ${'x'.repeat(90)}\n`)
process.stderr.write('written\n')
await once(process.stdin, 'data')
output.write('last\n')
output.end()
process.exit(0)
