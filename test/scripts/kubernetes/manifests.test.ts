import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { parseStages } from '../../../scripts/image/dockerfile.js'
import { canRender, renderManifests } from '../../../scripts/kubernetes-lint/render-manifests.js'
import { Environment } from '../../../src/config/environment.js'
import { loadConfig } from '../../../src/config.js'
import { PATIENCE_MS } from '../../../src/platform/database/migrate.js'
import { MIGRATION_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { STOP_MS } from '../../../src/process/stop-once.js'
import { startTestApp } from '../../support/app/app.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { quickestDatabase } from '../../support/database/database.js'
import type { Labels, ManifestObject, Pod, Probe } from './manifest-objects.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const SECRETS = '/run/secrets/market-data-gateway'
const isRenderable = canRender()
const objects = isRenderable
  ? parseAllDocuments(renderManifests(join(ROOT, 'scripts/kubernetes/production'))).map(
      (document) => document.toJS() as ManifestObject, // our own files
    )
  : []
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const deployments = ofKind('Deployment')
const workloads = [...deployments, ...ofKind('Job'), ...ofKind('CronJob')]
const podOf = ({
  metadata,
  spec,
}: ManifestObject): Pod & { readonly name: string; readonly labels: Labels } => {
  const template = spec?.template ?? spec?.jobTemplate?.spec.template
  if (template === undefined) throw new Error(`${metadata.name} has no pod`)
  return { ...template.spec, labels: template.metadata.labels, name: metadata.name }
}
const pods = workloads.map(podOf)

/** The variables that the image sets. */
function imageVariables(): Readonly<Record<string, string>> {
  const image = parseStages(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).at(-1)
  const words = image?.instructions.filter(({ name }) => name === 'ENV').flatMap((each) => each.words) ?? []
  return Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2)))
}

/** The variables that the manifests give to a container. */
function variablesOf(pod: Pod): Readonly<Record<string, string>> {
  const [container] = pod.containers
  const shared = container?.envFrom.map(({ configMapRef }) =>
    objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name),
  )
  const own = container?.env.map(({ name, value }) => [name, value])
  return { ...Object.assign({}, ...(shared ?? []).map((map) => map?.data)), ...Object.fromEntries(own ?? []) }
}

const settingOf = (variable: string) => variable.replace(/_FILE$/, '')
const selects = (selector: Labels, labels: Labels) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

describe.skipIf(!isRenderable)('the manifests (skipped without kubectl and kustomize)', () => {
  it('have a Deployment that answers, one for the schedule, a Job that migrates, and one that writes backups', () => {
    expect(pods.map(({ name }) => name).sort()).toEqual([
      'market-data-gateway',
      'market-data-gateway-backup',
      'market-data-gateway-migration',
      'market-data-gateway-schedule',
    ])
  })

  it.each(pods)('$name gets settings that exist, and all that production needs', (pod) => {
    const given = variablesOf(pod)
    expect(Object.keys(given).filter((name) => !(settingOf(name) in Environment.shape))).toEqual([])
    const directory = mkdtempSync(join(tmpdir(), 'mdg-secrets-'))
    const values: Readonly<Record<string, string>> = {
      ...OWN_SECRETS,
      DATABASE_URL: 'postgresql://gateway@postgres:5432/gateway',
      REDIS_URL: 'redis://redis:6379',
    }
    try {
      mkdirSync(directory, { recursive: true })
      const mounted = Object.entries(given).map(([name, value]) => {
        if (!name.endsWith('_FILE')) return [name, value]
        expect(value).toBe(`${SECRETS}/${settingOf(name)}`)
        const file = join(directory, settingOf(name))
        writeFileSync(file, values[settingOf(name)] ?? '')
        return [name, file]
      })
      const config = loadConfig({ ...imageVariables(), ...Object.fromEntries(mounted) })
      expect(config).toMatchObject({ mode: 'production', redisUrl: values.REDIS_URL, trustProxy: true })
      expect(config.isExposed).toBe(true)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it('answer requests in pods that run no jobs, and run jobs in others', () => {
    const switches = deployments.map((each) => {
      const { SCHEDULE, WEBHOOKS } = variablesOf(podOf(each))
      return [each.metadata.name, SCHEDULE, WEBHOOKS]
    })
    expect(switches).toEqual([
      ['market-data-gateway', 'off', 'off'],
      ['market-data-gateway-schedule', 'all', 'on'],
    ])
  })

  it('hold no secret: each is a file of the Secret', () => {
    for (const pod of pods) {
      const secrets = ['DATABASE_URL', 'REDIS_URL', 'KEY_PEPPER', 'JWT_KEYS']
      const given = Object.keys(variablesOf(pod))
      expect(given.filter((name) => secrets.includes(name))).toEqual([])
      expect(given).toEqual(expect.arrayContaining(secrets.map((name) => `${name}_FILE`)))
    }
    expect(existsSync(join(ROOT, 'scripts/kubernetes/production/secrets'))).toBe(false)
  })

  it('probe paths that answer 200, on the ports of the image', async () => {
    const { PORT, METRICS_PORT } = imageVariables()
    const app = await startTestApp(quickestDatabase())
    try {
      for (const { containers } of deployments.map(podOf)) {
        const [{ ports = [], startupProbe, readinessProbe, livenessProbe } = {}] = containers
        expect(ports).toEqual([
          { name: 'http', containerPort: Number(PORT) },
          { name: 'metrics', containerPort: Number(METRICS_PORT) },
        ])
        for (const probe of [startupProbe, readinessProbe, livenessProbe] as readonly Probe[]) {
          expect(probe.httpGet.port).toBe('http')
          expect((await app.rest(probe.httpGet.path)).status).toBe(200)
        }
        expect(readinessProbe?.httpGet.path).toBe('/readyz')
      }
    } finally {
      await app.close()
    }
  })

  it.each(pods)('$name runs without rights, writes only to bounded volumes, and has limits', (pod) => {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    expect(pod.securityContext).toEqual({
      ...{ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 },
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const { securityContext, resources } of pod.containers) {
      expect(securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      })
      expect(resources.limits).toMatchObject({
        memory: expect.any(String),
        'ephemeral-storage': expect.any(String),
      })
      expect(resources.requests).toMatchObject({ cpu: expect.any(String), memory: expect.any(String) })
    }
    const bounded = pod.volumes.filter(({ persistentVolumeClaim }) => persistentVolumeClaim === undefined)
    for (const { emptyDir, secret } of bounded)
      expect(secret?.defaultMode ?? emptyDir?.sizeLimit).toEqual(secret ? 0o440 : expect.any(String))
    const claims = pod.volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
    expect(claims).toEqual(pod.name.endsWith('-backup') ? ['market-data-gateway-backups'] : [])
  })

  it('give a pod the time to leave the proxies and to answer what is in flight', () => {
    for (const pod of deployments.map(podOf)) {
      const [, seconds] = pod.containers[0]?.lifecycle?.preStop.exec.command ?? []
      expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(seconds) * 1_000 + STOP_MS)
    }
  })

  it('give a start and the Job the time that a migration may take', () => {
    for (const { spec } of deployments) {
      const { periodSeconds = 0, failureThreshold = 0 } =
        spec?.template?.spec.containers[0]?.startupProbe ?? {}
      expect(periodSeconds * failureThreshold * 1_000).toBeGreaterThan(PATIENCE_MS)
      expect(spec?.progressDeadlineSeconds).toBeGreaterThan(periodSeconds * failureThreshold)
    }
    const [job] = ofKind('Job')
    expect((job?.spec?.activeDeadlineSeconds ?? 0) * 1_000).toBeGreaterThan(MIGRATION_LIMITS.statementMs)
  })

  it('start a new pod before an old one ends, and let a node be emptied one pod at a time', () => {
    for (const { spec } of deployments) {
      expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } })
      expect(spec?.replicas).toBeGreaterThan(1)
    }
    for (const { spec } of ofKind('PodDisruptionBudget')) expect(spec).toMatchObject({ maxUnavailable: 1 })
  })

  it('select each the pods of one Deployment', () => {
    const selected = (selector: Labels) =>
      pods.filter(({ labels }) => selects(selector, labels)).map(({ name }) => name)
    const matchLabels = (object: ManifestObject) => object.spec?.selector?.matchLabels ?? {}
    for (const object of [...deployments, ...ofKind('PodDisruptionBudget')])
      expect(selected(matchLabels(object))).toEqual([object.metadata.name])
    expect(ofKind('PodDisruptionBudget')).toHaveLength(2)
    const [service] = ofKind('Service')
    expect(selected(service?.spec?.selector as unknown as Labels)).toEqual(['market-data-gateway'])
    for (const { topologySpreadConstraints = [], name } of deployments.map(podOf)) {
      expect(topologySpreadConstraints).toHaveLength(2)
      for (const { labelSelector } of topologySpreadConstraints)
        expect(selected(labelSelector.matchLabels)).toEqual([name])
    }
  })

  it('let requests in from the proxy only, and the Job out to the database only', () => {
    const [all, requests, serving] = ['', '-requests', '-serving'].map((end) =>
      ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === `market-data-gateway${end}`),
    )
    expect(ofKind('NetworkPolicy')).toHaveLength(3)
    const portsOf = (rules: readonly { readonly ports: readonly { readonly port: number }[] }[] = []) =>
      rules.flatMap(({ ports }) => ports.map(({ port }) => port))
    expect(all?.spec?.podSelector?.matchLabels).toEqual({ 'app.kubernetes.io/name': 'market-data-gateway' })
    expect(all?.spec?.policyTypes).toEqual(['Ingress', 'Egress'])
    expect([portsOf(all?.spec?.ingress), portsOf(all?.spec?.egress)]).toEqual([
      [],
      [53, 53, 5432, 6432, 6379, 6380],
    ])
    expect([portsOf(serving?.spec?.ingress), portsOf(serving?.spec?.egress)]).toEqual([
      [4001],
      [443, 465, 587],
    ])
    expect(serving?.spec?.podSelector?.matchExpressions).toEqual([
      { key: 'app.kubernetes.io/component', operator: 'In', values: ['gateway', 'schedule'] },
    ])
    expect([portsOf(requests?.spec?.ingress), portsOf(requests?.spec?.egress)]).toEqual([[4000], []])
    const [anyAddress] = serving?.spec?.egress?.[0]?.to ?? []
    expect(anyAddress?.ipBlock?.except).toContain('169.254.0.0/16')
  })

  it('of the overlay run one image by its digest, with settings and secrets whose change rolls the pods', () => {
    const images = new Set(pods.map(({ containers }) => containers[0]?.image))
    expect([...images]).toEqual([
      expect.stringMatching(/^registry\.example\.org\/market-data-gateway@sha256:[0-9a-f]{64}$/),
    ])
    const [settings] = ofKind('ConfigMap')
    expect(settings?.metadata.name).toMatch(/^market-data-gateway-[a-z0-9]{10}$/)
    const [secrets] = ofKind('Secret')
    expect(secrets?.metadata.name).toMatch(/^market-data-gateway-[a-z0-9]{10}$/)
    const read = pods.flatMap(({ volumes }) => volumes.flatMap(({ secret }) => secret?.secretName ?? []))
    expect(read).toEqual(pods.map(() => secrets?.metadata.name))
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(
      new Set(['market-data-gateway']),
    )
  })

  it('can be applied in two steps: what the Job needs, then all', () => {
    const before = objects.filter(({ metadata }) =>
      ['shared', 'migration'].includes(metadata.labels?.['app.kubernetes.io/component'] ?? ''),
    )
    const kinds = new Set(before.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(['ConfigMap', 'Job', 'NetworkPolicy', 'Secret', 'ServiceAccount'])
  })

  it('name the port of the metrics for Prometheus', () => {
    for (const { spec } of deployments) {
      const { annotations } = spec?.template?.metadata ?? {}
      expect(annotations).toEqual({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '4001' })
    }
  })

  it('write a backup each night, one at a time, and remove old ones only after it', () => {
    const [job] = ofKind('CronJob')
    expect(job?.spec).toMatchObject({ schedule: '15 3 * * *', concurrencyPolicy: 'Forbid' })
    const [shell, option, script = ''] = job === undefined ? [] : (podOf(job).containers[0]?.args ?? [])
    expect([shell, option]).toEqual(['sh', '-ec'])
    const commands = script.trim().split('\n')
    expect(commands).toEqual([
      'market-data-gateway admin backup "$(date -u +%Y%m%dT%H%M%SZ).backup"',
      "find . -name '*.backup*' -mtime +13 -delete",
    ])
  })
})
