import { systemClock } from '../../../../../src/core/time.js'
import { UnsentBytes } from '../../../../../src/gateway/http/connection/unsent-bytes.js'
import { createListener } from '../../../../../src/gateway/http/node.js'
import { createLogger } from '../../../../../src/platform/logger.js'
import { listen } from '../../../../support/peers/sockets.js'

/** Answers with bytes of its own so many each, with the bounds of production; says its memory when it is asked. */
const BYTES = Number(process.argv[2])

const unsent = new UnsentBytes()
const options = { clock: systemClock, log: createLogger('silent'), hashAddress: () => 'one', unsent }
const listener = createListener(
  async ({ path }) => {
    const memory = () => JSON.stringify({ rss: process.memoryUsage.rss(), cuts: unsent.cuts })
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
