import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const TLS = resolve(import.meta.dirname, '../tls')
const CERTIFICATE = '/etc/haproxy/certificate.pem'

/** HAProxy takes the configuration, with a certificate of the tests. */
export async function isTakenByHaproxy({ directory }: GuideWorld, { text }: GuideBlock): Promise<void> {
  const certificate = join(directory, 'certificate.pem')
  const pair = ['localhost.crt', 'localhost.key'].map((name) => readFileSync(join(TLS, name), 'utf8'))
  writeFileSync(certificate, pair.join(''))
  expect(text).toContain(CERTIFICATE)
  const configuration = join(directory, 'haproxy.cfg')
  writeFileSync(configuration, text.replaceAll(CERTIFICATE, certificate))
  execFileSync('haproxy', ['-c', '-f', configuration], { encoding: 'utf8' })
}

/** Prometheus takes the configuration, with the alert rules of the package beside it. */
export async function isTakenByPrometheus({ directory }: GuideWorld, { text }: GuideBlock): Promise<void> {
  copyFileSync(join(ROOT, 'scripts/monitoring/alerts.yaml'), join(directory, 'alerts.yaml'))
  const configuration = join(directory, 'prometheus.yml')
  writeFileSync(configuration, text)
  execFileSync('promtool', ['check', 'config', configuration], { encoding: 'utf8' })
}
