import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../../../../../src/core/time.js'
import { UnsentBytes } from '../../../../../src/gateway/http/connection/unsent-bytes.js'
import { createListener } from '../../../../../src/gateway/http/node.js'
import { createLogger } from '../../../../../src/platform/logger.js'
import { listen } from '../../../../support/peers/sockets.js'

/** Responds with new bodies of this size, within the bounds of production. `/memory` reports the bytes of all buffers in use. */
const BYTES = Number(process.argv[2])

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const unsent = new UnsentBytes()
const options = { clock: systemClock, log: createLogger('silent'), hashAddress: () => 'one', unsent }
const listener = createListener(
  async ({ path }) => {
    const memory = () => {
      collectGarbage() // otherwise the figure depends on when the last collection ran
      return JSON.stringify({ buffers: process.memoryUsage().arrayBuffers, cuts: unsent.cuts })
    }
    return {
      status: 200,
      headers: [],
      body: path === '/memory' ? memory() : Buffer.alloc(BYTES, 'x'),
    }
  },
  { ...options, isDraining: () => false },
)
const { port } = await listen(listener)
process.stdout.write(`${port}\n`)
