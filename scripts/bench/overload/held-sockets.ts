import { readFileSync } from 'node:fs'

const ESTABLISHED = '01'
const CLOSE_WAIT = '08'

/**
 * Ports of the clients whose connections a server on this machine still holds, from the kernel, because a client that does
 * not read does not notice the end of its connection. Throws without /proc.
 */
export function heldClients(serverPort: number): ReadonlySet<number> {
  const held = new Set<number>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const client = clientOf(line, serverPort)
      if (client !== null) held.add(client)
    }
  }
  return held
}

// Fields of a line: number, local address, remote address, state, and more. What the server has closed but not yet
// delivered is in another state; what it has not accepted yet is established.
function clientOf(line: string, serverPort: number): number | null {
  const [, local, remote, state] = line.trim().split(/\s+/)
  if (local === undefined || remote === undefined || portOf(local) !== serverPort) return null
  return state === ESTABLISHED || state === CLOSE_WAIT ? portOf(remote) : null
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
}
