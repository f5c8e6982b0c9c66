import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, cleanUp, type Gateway, newDataDir, START_MS, startGateway } from '../../process/gateway.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'

const DIRECTORY = resolve(import.meta.dirname, '../../../scripts/monitoring')
const TARGET = { job: 'market-data-gateway', instance: 'gateway-1:4001' }
/** Prometheus' own, of PostgreSQL with replicas and of Redis alone, and of requests, which this gateway has not had. */
const NOT_HERE = /^(up|gateway_replica_|gateway_redis_up|gateway_data_reads_total)/
/** Metrics that have no series before the gateway has had what they measure, by the file that declares each. */
const LATER: Readonly<Record<string, string>> = {
  gateway_backup_age_seconds: 'checks/checks.ts',
  ingest_lane_: 'checks/checks.ts',
  ingest_assets_: 'checks/checks.ts',
  ingest_provider_rest_seconds: 'checks/checks.ts',
  webhook_attempts_total: 'process/duties/webhooks.ts',
}

interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** The series as Prometheus keeps them: a label that the target has too is renamed. */
function scraped(text: string): readonly Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
      const own = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => {
        return [label in TARGET ? `exported_${label}` : label, value]
      })
      return { name, labels: { ...Object.fromEntries(own), ...TARGET } }
    })
}

const KEPT = /\b((?:gateway|data|ingest|nodejs|process|webhook)_\w+)(?:\{([^}]*)\})?/g

/** What an expression wants: each metric with the labels that it is selected by, and the labels that it is grouped by. */
function wantedBy(expression: string) {
  const metrics = [...expression.matchAll(KEPT)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/(\w+)(?==~?"|!=|=)/g)].map(([, label = '']) => label),
  }))
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/))
  return { metrics, grouped }
}

/** Labels that an expression uses and that no series of its metric has. */
function missing(expression: string, series: readonly Series[]): readonly string[] {
  const { metrics, grouped } = wantedBy(expression)
  return metrics
    .filter(({ name }) => !NOT_HERE.test(name))
    .flatMap(({ name, labels }) => {
      const later = Object.keys(LATER).find((start) => name.startsWith(start))
      if (later !== undefined) return isDeclared(name, LATER[later] ?? '') ? [] : [`${name} is not declared`]
      const known = series.filter((one) => one.name === name)
      if (known.length === 0) return [`${name} is not exported`]
      const absent = [...labels, ...grouped].filter((label) => !known.some((one) => label in one.labels))
      return absent.map((label) => `${name} has no label ${label}`)
    })
}

function isDeclared(metric: string, file: string): boolean {
  return readFileSync(resolve(import.meta.dirname, '../../../src', file), 'utf8').includes(`'${metric}'`)
}

function expressionsOfDashboard(): readonly string[] {
  const text = readFileSync(join(DIRECTORY, 'dashboard.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] } // a file of ours
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

function expressionsOfAlerts(): readonly string[] {
  const text = readFileSync(join(DIRECTORY, 'alerts.yaml'), 'utf8')
  return text
    .split('- alert:')
    .slice(1)
    .map((rule) => rule.slice(0, rule.search(/\n {8}(?:for|labels):/)))
}

describe.runIf(availableDatabases().includes('postgres'))('the data of a gateway in Prometheus', () => {
  let gateway: Gateway
  let url: string
  let series: readonly Series[]
  beforeAll(async () => {
    url = await copyPostgresWorld('current')
    // No provider is asked: nothing listens there.
    gateway = await startGateway({
      ...OWN_SECRETS,
      DATABASE_URL: url,
      DATA_DIR: newDataDir(),
      PORT: '0',
      METRICS_PORT: '0',
      SEED: 'on',
      SCHEDULE: 'forex',
      PROVIDER_URL_ECB: 'http://127.0.0.1:9',
    })
    await ask(`${gateway.url}/v1/assets`, null)
    const { text } = await ask(`${gateway.metricsUrl}/metrics`, null)
    series = scraped(text)
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    await dropPostgresDatabase(url)
  })

  it('have unchanged labels', () => {
    expect(series.length).toBeGreaterThan(100)
    expect(
      series.filter(({ labels }) => Object.keys(labels).some((name) => name.startsWith('exported_'))),
    ).toEqual([])
  })

  it('have every metric and label that the alerts and the dashboard use', () => {
    const expressions = [...expressionsOfAlerts(), ...expressionsOfDashboard()]
    expect(expressions.length).toBeGreaterThan(35)
    expect(expressions.flatMap((expression) => missing(expression, series))).toEqual([])
  })

  it('raise the alert of a failing job, from the series of that job (promtool)', ({ skip }) => {
    if (spawnSync('promtool', ['--version']).status !== 0) skip('promtool is not installed')
    const failing = series.find(
      ({ name, labels }) => name === 'ingest_runs_total' && labels.status === 'failed',
    )
    expect(failing?.labels.job_name).toBe('forex')
    const labels = Object.entries(failing?.labels ?? {}).map(([name, value]) => `${name}="${value}"`)
    const test = {
      interval: '30m',
      input_series: [{ series: `ingest_runs_total{${labels.join(',')}}`, values: '0+1x20' }],
      alert_rule_test: [
        {
          eval_time: '8h',
          alertname: 'GatewayJobFails',
          exp_alerts: [
            {
              exp_labels: { severity: 'warning', job_name: 'forex' },
              exp_annotations: {
                summary: 'The job forex has failed 12 times in 6 hours',
                description: 'The reason is in the log and in the ledger of runs.',
                runbook_url: 'https://market-data-gateway.example/docs/guides/alerts#gatewayjobfails',
              },
            },
          ],
        },
      ],
    }
    const directory = mkdtempSync(join(tmpdir(), 'scrape-'))
    try {
      // JSON is YAML.
      const file = join(directory, 'test.yaml')
      const rules = { rule_files: [join(DIRECTORY, 'alerts.yaml')], evaluation_interval: '1m', tests: [test] }
      writeFileSync(file, JSON.stringify(rules))
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
      expect(status, stdout + stderr).toBe(0)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
