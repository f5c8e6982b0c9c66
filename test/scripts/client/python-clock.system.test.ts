import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'
import { InstalledPythonClient, MAY_RUN_PYTHON_CLIENT } from './installed-python-client.js'

const THEN = SEEDED_AT.toISOString()
/** The clock of the gateway in these tests is not that of the programs. */
const EXPIRES_AT = new Date(SEEDED_AT.getTime() + 30 * DAY_MS).toISOString()

const DAYS = 'quote="USD", from_="2026-11-01", to="2026-11-20"'

/** The rows of a block, before and after its clock is moved, and the same by `as_of`. */
const BLOCK = `
import json
from market_data_gateway import *
client = Client()
def rates(reader, **options):
    return [row["rate"] for row in reader.forex(${DAYS}, **options)]
def refusal(call):
    try:
        call()
    except ApiError as error:
        return [type(error).__name__, error.status, error.details]
with client.at("${THEN}", expires_at="${EXPIRES_AT}") as past:
    listed = [key for key in client.api_keys() if key["clock"]][0]
    began = past.as_of
    before = rates(past)
    moved = past.advance(days=2)
    found = {
        "key": [listed["clock"], listed["expires_at"], listed["label"]],
        "before": before == rates(client, as_of=began), "after": rates(past) == rates(client, as_of=moved),
        "differ": before != rates(past), "frame": past.forex(${DAYS}).to_pandas().rate.tolist() == rates(past),
        "moved": [(moved - began).days, moved == past.as_of, past.advance_to(moved) == moved],
        "refused": [refusal(lambda: past.advance(days=30)), refusal(lambda: past.advance(hours=-1))],
        "still": past.as_of == moved, "own": refusal(lambda: past.at(began)), "shown": repr(past),
        "prices": refusal(lambda: past.prices(["bitcoin"])),
    }
found["ended"] = refusal(lambda: past.forex(${DAYS}).first())
found["keys"] = [key["is_active"] for key in client.api_keys() if key["clock"]]
print(json.dumps(found))
`

const EXCEPTION = `
from market_data_gateway import *
client = Client()
try:
    with client.at("2025-06-02", basis="published", expires_at="${EXPIRES_AT}") as past:
        rows = list(past.forex(quote="USD", from_="2025-05-01", to="2025-07-01"))
        raise LookupError(f"{rows[-1]['date']} {past.as_of}")
except LookupError as error:
    print(error)
print([key["is_active"] for key in client.api_keys() if key["clock"]])
`

/** What a program sends, and what it prints, where the gateway fails now and then. */
const FAILING = `
from datetime import datetime, timedelta, timezone
from market_data_gateway import *
client = Client(attempts=2)
try:
    with client.at("2026-11-01") as past:
        print(past.advance(days=1))
        raise LookupError("the block")
except LookupError as error:
    print(error)
print(datetime.now(timezone.utc).isoformat())
`

describe.runIf(MAY_RUN_PYTHON_CLIENT)('client.at of the Python client', { timeout: 240_000 }, () => {
  const installed = new InstalledPythonClient()
  let app: TestApp
  let env: Readonly<Record<string, string>>
  beforeAll(async () => {
    ;[app] = await Promise.all([startTestApp(quickestDatabase()), installed.install()])
    app.clock.advance(3 * DAY_MS)
    await reviseRates(app.database, 7, new Date(SEEDED_AT.getTime() + DAY_MS))
  }, 600_000)
  afterAll(() => app?.close())

  const start = async (program: string) => {
    const key = await app.newKey({ tier: 'pro' })
    env = { MARKET_DATA_GATEWAY_URL: app.url, MARKET_DATA_GATEWAY_KEY: key }
    return installed.start(program, { env })
  }

  it('answers as of its clock, moves it forward up to the present, and revokes its key at the end', async () => {
    const found = JSON.parse(await start(BLOCK)) as Readonly<Record<string, unknown>>
    const refused = (message: string) => [
      'ValidationError',
      422,
      [{ field: 'clock.as_of', message: expect.stringContaining(message) }],
    ]
    expect(found).toEqual({
      key: [
        { as_of: THEN, basis: 'observed' },
        EXPIRES_AT,
        'client.at of Python, revoked when the program ends',
      ],
      ...{ before: true, after: true, differ: true, frame: true, moved: [2, true, true], still: true },
      refused: [refused('must not be in the future'), refused('must not be before')],
      own: ['ValidationError', 422, expect.anything()],
      prices: ['ValidationError', 422, [{ field: 'asset_index', message: expect.any(String) }]],
      shown: expect.stringMatching(/^Client\('http:\S+'\)\.at\('2026-11-\S+\+00:00'\)$/),
      ended: ['UnauthorizedError', 401, expect.anything()],
      keys: [false],
    })
  })

  it('revokes its key after an exception of the block, and reads by publication', async () => {
    const [raised = '', active] = (await start(EXCEPTION)).trim().split('\n')
    expect(raised).toMatch(/^2025-0(5-30|6-02) 2025-06-02 00:00:00\+00:00$/)
    expect(active).toBe('[False]')
  })

  it('makes a key that ends in a day, repeats moves and revocations, and keeps the exception of the block', async () => {
    const asked: { line: string; body: string; key: unknown }[] = []
    const answer = (as_of: string) =>
      JSON.stringify({ key_id: 'k', raw_key: 'past', clock: { as_of, basis: 'observed' } })
    const listener: RequestListener = async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      asked.push({
        line: `${request.method} ${request.url}`,
        body,
        key: request.headers['x-api-key'],
      })
      if (request.method === 'POST') response.writeHead(201).end(answer('2026-11-01T00:00:00.000Z'))
      else if (request.method === 'DELETE' || asked.length === 2)
        response
          .writeHead(503, { 'retry-after': '0' })
          .end('{"error": "service_unavailable", "message": "later"}')
      else response.end(answer('2026-11-02T00:00:00.000Z'))
    }
    const server = createServer(listener).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo // it listens on a TCP port
    const printed = await installed
      .start(FAILING, {
        env: { MARKET_DATA_GATEWAY_URL: `http://127.0.0.1:${port}`, MARKET_DATA_GATEWAY_KEY: 'maker' },
      })
      .finally(() => server.close())
    const [moved, raised, now = ''] = printed.trim().split('\n')
    expect([moved, raised]).toEqual(['2026-11-02 00:00:00+00:00', 'the block'])
    const [made, ...others] = asked
    expect(made?.line).toBe('POST /auth/keys')
    const { expires_at, clock } = JSON.parse(made?.body ?? '') as { expires_at: string; clock: object }
    expect(clock).toEqual({ as_of: '2026-11-01T00:00:00Z', basis: 'observed' })
    const leftMs = Date.parse(expires_at) - Date.parse(now)
    expect([leftMs > DAY_MS - 120_000, leftMs <= DAY_MS]).toEqual([true, true])
    const later = '{"clock": {"as_of": "2026-11-02T00:00:00.000Z"}}'
    expect(others).toEqual([
      { line: 'PATCH /auth/keys/k', body: later, key: 'maker' },
      { line: 'PATCH /auth/keys/k', body: later, key: 'maker' },
      { line: 'DELETE /auth/keys/k', body: '', key: 'maker' },
      { line: 'DELETE /auth/keys/k', body: '', key: 'maker' },
    ])
  })
})
