import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { DATASETS } from '../../../src/domains/datasets/registry-model.js'
import { UnsentBytes } from '../../../src/gateway/http/connection/unsent-bytes.js'
import { Admission } from '../../../src/gateway/http/limits/admission.js'
import { createAccessLog } from '../../../src/gateway/http/response/access-log.js'
import { OpenStreams } from '../../../src/gateway/http/response/open-streams.js'
import { registerGauges } from '../../../src/gateway/http/telemetry/gauges.js'
import { createMetrics } from '../../../src/gateway/http/telemetry/metrics.js'
import { GUIDES } from '../../../src/generated/page-assets/guides.js'
import { configuredJobs } from '../../../src/ingest/wiring.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createReadCounts, registerReplicaGauges } from '../../../src/platform/replicas/replica-metrics.js'
import type { Replicas } from '../../../src/platform/replicas/replicas.js'
import { ResponseCache } from '../../../src/platform/response-cache/response-cache.js'
import { registerCheckGauges } from '../../../src/process/check-gauges.js'
import { createJobMetrics } from '../../../src/process/schedule/job-metrics.js'
import { TestClock } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

const DIRECTORY = resolve(import.meta.dirname, '../../../scripts/monitoring')
const read = (name: string) => readFileSync(join(DIRECTORY, name), 'utf8')
const log = createLogger('silent')

type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase(quickestDatabase(), 'seeded')
})
afterAll(() => database?.close())

/** Everything that a gateway with PostgreSQL, replicas, Redis and a schedule exports. */
function exported(): Registry {
  const metrics = createMetrics()
  createAccessLog({ metrics, log })
  const config = { ...loadConfig({}), schedule: 'forex,bis' }
  const { scheduled } = configuredJobs(config)
  registerCheckGauges(metrics, { config, database, clock: new TestClock(SEEDED_AT) }, log)
  createJobMetrics({ metrics, database, log, scheduled })
  createReadCounts(metrics)
  registerReplicaGauges(metrics, { all: [] } as unknown as Replicas, () => new Map()) // none is there to be looked at
  registerGauges(metrics, {
    admission: new Admission(),
    cache: new ResponseCache({ maxBytes: 1, shared: null }),
    counters: {
      consume: () => never(),
      refund: () => never(),
      peek: () => never(),
      close: never,
      isRedisUp: () => true,
    },
    database: { ...database, poolUse: () => ({ size: 10, busy: 1, waiting: 0 }) },
    streams: new OpenStreams(),
    unsent: new UnsentBytes(),
  })
  return metrics
}

function never(): never {
  throw new Error('metrics charge nobody')
}

/** A histogram is exported as three series. */
function seriesOf(metrics: Registry): ReadonlySet<string> {
  return new Set(
    metrics
      .getMetricsAsArray()
      .flatMap(({ name, type }) =>
        String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
  )
}

/** Prometheus' own, and what the delivery of webhooks registers; the scrape of a gateway has the latter. */
const OTHERS: ReadonlySet<string> = new Set([
  'up',
  'webhook_events',
  'webhook_shards',
  'webhook_attempts_total',
])

const NAMES = /\b(?:gateway|data|ingest|newsletter|nodejs|process)_[a-z0-9_]+\b/g

interface Dashboard {
  readonly panels: readonly {
    readonly type: string
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

function expressions(): readonly string[] {
  const dashboard = JSON.parse(read('dashboard.json')) as Dashboard // a file of ours
  const graphs = dashboard.panels.filter(({ type }) => type !== 'row')
  expect(graphs.every(({ targets = [] }) => targets.length > 0)).toBe(true)
  return graphs.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

function promtool(...args: readonly string[]) {
  return spawnSync('promtool', args, { encoding: 'utf8', cwd: DIRECTORY })
}

const hasPromtool = promtool('--version').status === 0
if (!hasPromtool && process.env.REQUIRE_SERVICES === '1') throw new Error('promtool is not installed')

describe('the files for monitoring', () => {
  it('name only metrics that a gateway exports, and each of its own in the dashboard', () => {
    const series = seriesOf(exported())
    const alerts = read('alerts.yaml').match(NAMES) ?? []
    const shown = expressions().flatMap((expression) => expression.match(NAMES) ?? [])
    const made = read('alerts-test.yaml').match(/(?<=series: )[a-z0-9_]+/g) ?? []
    expect([alerts.length > 10, shown.length > 20, made.length > 10]).toEqual([true, true, true])
    expect([...alerts, ...shown, ...made].filter((name) => !series.has(name) && !OTHERS.has(name))).toEqual(
      [],
    )
    const own = exported()
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => /^(gateway|data|ingest|newsletter)_/.test(name))
    const unseen = own.filter((name) => ![...shown, ...alerts].some((seen) => seen.startsWith(name)))
    expect(unseen).toEqual([])
  })

  it('have a test of the text of every alert', () => {
    const names = [...read('alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    const tested = new Set(
      [...read('alerts-test.yaml').matchAll(/alertname: (\w+)/g)].map(([, name]) => name),
    )
    expect(names.length).toBe(21)
    expect(names.filter((name) => !tested.has(name))).toEqual([])
  })

  it('link each alert to its own heading of a guide that says what to do', () => {
    const alerts = read('alerts.yaml').split('- alert: ').slice(1)
    const faults = alerts.flatMap((text) => {
      const [name = ''] = /^\w+/.exec(text) ?? []
      const [, guide = '', anchor = ''] = /runbook_url: \S+\/docs\/guides\/([\w-]+)#(\S+)/.exec(text) ?? []
      const html = GUIDES.find((one) => one.name === guide)?.html ?? ''
      const [, section = ''] = html.split(`<h2 id="${anchor}">${name}</h2>`)
      const [advice = ''] = section.split('<h2')
      return anchor === name.toLowerCase() && advice.length > 100 ? [] : [name]
    })
    expect(faults).toEqual([])
  })

  it.skipIf(!hasPromtool)('have valid rules with the right texts (promtool)', () => {
    for (const args of [
      ['check', 'rules', 'alerts.yaml'],
      ['test', 'rules', 'alerts-test.yaml'],
    ]) {
      const { status, stdout, stderr } = promtool(...args)
      expect(status, stdout + stderr).toBe(0)
    }
  })

  it.skipIf(!hasPromtool)('have valid PromQL in the dashboard (promtool)', () => {
    const directory = mkdtempSync(join(tmpdir(), 'dashboard-'))
    try {
      const rules = expressions().map((expression, index) => ({
        record: `panel:${index}`,
        expr: expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
      }))
      // JSON is YAML.
      writeFileSync(join(directory, 'rules.yaml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
      const { status, stdout, stderr } = promtool('check', 'rules', join(directory, 'rules.yaml'))
      expect(status, stdout + stderr).toBe(0)
      expect(stdout).toContain(`${rules.length} rules found`)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('the age of the data', () => {
  it('exists for every dataset of the reference, with its interval', async () => {
    const metrics = await exported().getMetricsAsJSON()
    const values = (name: string) =>
      new Map(
        metrics
          .find((metric) => metric.name === name)
          ?.values.map(({ labels, value }) => [labels.dataset, value]),
      )
    const [ages, intervals] = [values('data_age_seconds'), values('data_refresh_interval_seconds')]
    const held = await database.rows<{ dataset: string }>('select dataset from dataset_state')
    expect([...ages.keys()].sort()).toEqual(held.map(({ dataset }) => dataset).sort())
    expect([...intervals.keys()].sort()).toEqual([...ages.keys()].sort())
    // The reference has no code lists: a dataset that holds nothing has no age.
    expect(DATASETS.filter((dataset) => !ages.has(dataset))).toEqual(['codes'])
    for (const age of ages.values()) expect(age).toBeGreaterThanOrEqual(0)
    for (const interval of intervals.values()) expect(interval).toBeGreaterThanOrEqual(3_600)
  })
})
