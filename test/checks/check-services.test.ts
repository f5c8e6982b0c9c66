import { expect, it, onTestFinished } from 'vitest'
import { checkModel } from '../../src/checks/check-services.js'
import { loadConfig } from '../../src/config.js'
import { systemClock } from '../../src/core/time.js'
import { listen } from '../support/peers/sockets.js'

it.each([
  [200, '{"data":[{"id":"writer-1"}]}', 'ok', 'answers'],
  [200, '{"data":[{"id":"other"}]}', 'warning', 'answers, but does not list writer-1'],
  [404, 'no list', 'ok', 'answers'],
  [401, 'hidden-key is wrong', 'problem', 'cannot be used: status 401'],
  [503, 'busy', 'problem', 'cannot be used: '],
] as const)(
  'a language model that answers %i %s is reported as %s',
  async (status, text, finding, message) => {
    const server = await listen((request, response) => {
      expect([request.url, request.headers.authorization]).toEqual(['/v1/models', 'Bearer hidden-key'])
      response.writeHead(status).end(text)
    })
    onTestFinished(() => server.close())
    const config = loadConfig({
      ...{
        NODE_ENV: 'test',
        AI_BASE_URL: `${server.url}/v1`,
        AI_API_KEY: 'hidden-key',
        AI_MODEL: 'writer-1',
      },
    })
    const found = await checkModel({ config, clock: systemClock })
    expect(found).toEqual([expect.objectContaining({ check: 'model', status: finding })])
    expect(found[0]?.message).toContain(message)
    expect(JSON.stringify(found)).not.toContain('hidden-key')
  },
)
