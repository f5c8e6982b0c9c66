import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A receiver that answers each event after the milliseconds of the first argument. Prints its port, and then the CPU time that
// it has used, in seconds, for each line that it reads.

const delayMs = Number(process.argv[2])
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    if (delayMs === 0) response.writeHead(204).end()
    else setTimeout(() => response.writeHead(204).end(), delayMs)
  })
})
server.listen(0, '127.0.0.1', 1_024, () => {
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  process.stdout.write(`${port}\n`)
})
process.stdin.on('data', () => {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${(user + system) / 1e6}\n`)
})
process.stdin.once('end', () => process.exit(0))
