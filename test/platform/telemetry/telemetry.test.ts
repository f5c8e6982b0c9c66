import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTelemetry, type TelemetryOptions } from '../../../src/platform/telemetry/telemetry.js'
import { tracedHttp } from '../../../src/platform/telemetry/traced-http.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { attributeOf, type OtlpReceiver, startOtlpReceiver } from '../../support/peers/otlp-receiver.js'
import { listen } from '../../support/peers/sockets.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const silent = createLogger('silent')
const options = (endpoint: string, more: Partial<TelemetryOptions> = {}): TelemetryOptions => ({
  endpoint,
  headers: {},
  version: '1.2.3',
  instance: 'test:1',
  sampleRatio: 1,
  metricsEveryMs: 3_600_000,
  metrics: new Registry(),
  log: silent,
  ...more,
})

describe('a gateway that sends telemetry', () => {
  let collector: OtlpReceiver
  let app: TestApp
  let key: string
  beforeAll(async () => {
    collector = await startOtlpReceiver()
    app = await startTestApp(quickestDatabase(), {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b' },
    })
    key = await app.newKey({ tier: 'enterprise' })
    const traceparent = `00-${TRACE}-${PARENT}-01`
    await app.rest('/v1/assets/bitcoin?secret_param=hunter2', { key, headers: { traceparent } })
    await app.rest('/v1/assets/bitcoin', { key, headers: { traceparent } })
    await app.rest('/v1/assets/ethereum', {
      key,
      headers: { traceparent: `00-${'1'.repeat(32)}-${PARENT}-00` },
    })
    await app.rest('/v1/assets/no-such-coin', { key, headers: { traceparent: 'nonsense' } })
    await app.graphql('{ assets(limit: 1) { data { ticker } } }', { key })
    await app.rest('/v1/assets', { key, method: 'EVIL-METHOD' }).catch(() => null)
    // What waits is sent when the gateway closes.
    await app.close()
  })
  afterAll(() => collector?.close())

  const named = (name: string) => collector.spans().filter((span) => span.name === name)

  it('names each request by its operation, in the trace of the caller', () => {
    const [refused, asked] = [named('GET rest'), named('GET rest asset')]
    expect(refused.map(({ traceId }) => traceId)).toEqual([TRACE])
    expect(asked[0]).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2 })
    expect(asked.map((span) => attributeOf(span, 'http.response.status_code'))).toEqual([200, 404])
    expect(asked.map((span) => attributeOf(span, 'gateway.operation'))).toEqual(['asset', 'asset'])
    expect(named('POST graphql assets').length).toBe(1)
  })

  it('shows each statement below its request, by its kind and not by its text', () => {
    const [request] = named('GET rest asset')
    const below = collector.spans().filter(({ parentSpanId }) => parentSpanId === request?.spanId)
    expect(below.length).toBeGreaterThan(0)
    for (const span of below) {
      expect(span).toMatchObject({ traceId: TRACE, kind: 3 })
      expect(attributeOf(span, 'db.query.summary')).toBe(span.name)
      expect(span.name).toMatch(/^[a-z]+( [\w.]+)?$/i)
    }
    expect(below.map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^select \w+$/)]),
    )
  })

  it('records nothing if the caller disables the trace, and begins one for an invalid header', () => {
    expect(collector.spans().some(({ traceId }) => traceId === '1'.repeat(32))).toBe(false)
    const missing = named('GET rest asset')[1]
    expect(missing?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect([missing?.traceId === TRACE, missing?.parentSpanId ?? '']).toEqual([false, ''])
  })

  it('writes the trace into the log lines', () => {
    const lines = app.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.map(({ trace_id }) => trace_id).slice(0, 2)).toEqual([TRACE, TRACE])
    expect(requests.every(({ trace_id }) => /^[0-9a-f]{32}$/.test(String(trace_id)))).toBe(true)
  })

  it('sends the metrics of Prometheus under their names', () => {
    const duration = collector.metrics().find(({ name }) => name === 'gateway_request_duration_seconds')
    const point = duration?.histogram?.dataPoints.find(
      (found) => attributeOf(found, 'operation') === 'asset' && attributeOf(found, 'status') === '200',
    )
    // Two that are in traces, one that is not; the second is from the cache and counts as well.
    expect(Number(point?.count)).toBe(2)
    const counts = (point?.bucketCounts ?? []).map(Number)
    expect(counts.length).toBe((point?.explicitBounds?.length ?? 0) + 1)
    expect(counts.reduce((sum, count) => sum + count)).toBe(2)
    const units = collector.metrics().find(({ name }) => name === 'gateway_units_charged_total')
    expect(units?.sum?.isMonotonic).toBe(true)
    expect(collector.metrics().some(({ name, gauge }) => name.startsWith('process_') && gauge)).toBe(true)
  })

  it('sends the headers of the collector, and nothing of a caller', () => {
    expect(collector.headers.every((headers) => headers['x-team'] === 'a b')).toBe(true)
    const all = collector.texts.join('')
    for (const secret of [key, 'hunter2', 'no-such-coin', 'EVIL-METHOD', '127.0.0.1:', 'account'])
      expect(all, secret).not.toContain(secret)
  })
})

describe('tracing', () => {
  it('sends providers no trace and shows their host only', async () => {
    const collector = await startOtlpReceiver()
    const seen: (string | undefined)[] = []
    const provider = await listen((request, response) => {
      seen.push(request.headers.traceparent as string | undefined)
      response.end('ok')
    })
    const { tracing, stop } = await startTelemetry(options(collector.url))
    const http = tracedHttp(createHttpClient({ log: silent, userAgent: 'test/1' }), tracing)
    const ask = () =>
      http.request({
        url: `${provider.url}/v1/KEY123?key=KEY123`,
        timeoutMs: 20_000,
        maxBytes: 100,
        retries: 0,
      })
    await tracing.root({ name: 'job test', attributes: {} }, ask)
    await ask()
    await stop()
    const [call, job] = collector.spans()
    expect([call?.name, job?.name]).toEqual(['GET 127.0.0.1', 'job test'])
    expect(call?.parentSpanId).toBe(job?.spanId)
    expect(seen).toEqual([`00-${call?.traceId}-${call?.spanId}-01`, undefined])
    expect(collector.texts.join('')).not.toContain('KEY123')
    await Promise.all([provider.close(), collector.close()])
  })

  it('keeps the name of an error and not its message', async () => {
    const collector = await startOtlpReceiver()
    const { tracing, stop } = await startTelemetry(options(collector.url))
    const failing = () => Promise.reject(new RangeError('hunter2'))
    await expect(tracing.root({ name: 'job test', attributes: {} }, failing)).rejects.toThrow('hunter2')
    await stop()
    const [span] = collector.spans()
    expect([span && attributeOf(span, 'error.type'), span?.status.code]).toEqual(['RangeError', 2])
    expect(collector.texts.join('')).not.toContain('hunter2')
    await collector.close()
  })

  it('records the configured share, whatever callers ask for', async () => {
    const collector = await startOtlpReceiver()
    const { tracing, stop } = await startTelemetry(options(collector.url, { sampleRatio: 0 }))
    await tracing.request(`00-${TRACE}-${PARENT}-01`, async () => {
      expect(tracing.traceId()).toBe(TRACE)
    })
    await stop()
    expect(collector.spans()).toEqual([])
    await collector.close()
  })
})

// Side by side: each waits as long as the last spans may take.
describe('a collector that is down', () => {
  it.concurrent.each([
    ['refuses connections', async () => ({ url: 'http://127.0.0.1:9', texts: [], close: async () => {} })],
    ['takes all and answers nothing', () => startOtlpReceiver({ isSilent: true })],
  ])('that %s delays no request, keeps a bounded number of spans, and delays no end', async (_, start) => {
    const collector = await start()
    const lines: string[] = []
    const log = createLogger('info', { write: (line: string) => void lines.push(line) })
    const { tracing, stop } = await startTelemetry(
      options(collector.url, { log, headers: { 'x-key': 'hunter2' } }),
    )
    for (let index = 0; index < 10_000; index++)
      expect(await tracing.root({ name: 'job test', attributes: {} }, async () => index)).toBe(index)
    await stop()
    const sent = collector.texts.join('').split('"spanId"').length - 1
    expect(sent).toBeLessThanOrEqual(2_048 + 512)
    expect(lines.filter((line) => line.includes('"signal":"traces"')).length).toBeLessThanOrEqual(1)
    expect(lines.join('')).not.toContain('hunter2')
    await collector.close()
  })
})
