// Asks the npm registry for known vulnerabilities of production dependencies; fails for high and critical ones. A registry
// without an audit, such as a mirror, is reported and is not a failure: npm run check -- audit
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { auditVerdict } from './audit/audit-verdict.js'

const ROOT = resolve(import.meta.dirname, '..')
const AUDIT_MS = 120_000

// npm exits with 1 both for a finding and for a registry that does not answer.
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  ...{ cwd: ROOT, encoding: 'utf8', timeout: AUDIT_MS, maxBuffer: 2 ** 26 },
  stdio: ['ignore', 'pipe', 'ignore'],
})
const { hasPassed, text } = auditVerdict(stdout)
process.stdout.write(`${text}\n`)
process.exitCode = hasPassed ? 0 : 1
