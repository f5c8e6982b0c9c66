import { expect, it } from 'vitest'
import { auditVerdict } from '../../scripts/audit/audit-verdict.js'

const report = (severities: Readonly<Record<string, string>>) => {
  const vulnerabilities = Object.entries(severities).map(([name, severity]) => [
    name,
    { name, severity, range: '<1.2.3', via: [], effects: [], nodes: [] },
  ])
  return JSON.stringify({ auditReportVersion: 2, vulnerabilities: Object.fromEntries(vulnerabilities) })
}

it('passes if no package has a known vulnerability', () => {
  expect(auditVerdict(report({}))).toEqual({
    hasPassed: true,
    text: 'npm audit: 0 packages of high or critical severity, 0 below',
  })
})

it('fails for high and critical vulnerabilities, and names their packages', () => {
  expect(auditVerdict(report({ a: 'high', b: 'moderate', c: 'critical' }))).toEqual({
    hasPassed: false,
    text: 'npm audit: 2 packages of high or critical severity, 1 below\na <1.2.3: high\nc <1.2.3: critical',
  })
})

it('passes if vulnerabilities are moderate or low', () => {
  expect(auditVerdict(report({ a: 'moderate', b: 'low' })).hasPassed).toBe(true)
})

it.each([
  [
    { message: '405 Method Not Allowed - POST /bulk', statusCode: 405 },
    '405 Method Not Allowed - POST /bulk',
  ],
  [{ error: { code: 'ENOTFOUND', summary: 'getaddrinfo ENOTFOUND' } }, 'getaddrinfo ENOTFOUND'],
  [{}, 'npm gave no reason'],
  [[], 'npm gave no report'],
])('passes, and says why it was not done, if npm answers with %j', (output, reason) => {
  const verdict = { hasPassed: true, text: `npm audit: not done: ${reason}` }
  expect(auditVerdict(JSON.stringify(output))).toEqual(verdict)
})
