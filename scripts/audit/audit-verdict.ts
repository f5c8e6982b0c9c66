import { z } from 'zod'

/** The output of `npm audit --json` since npm 7. An error of the registry has another form. */
const Report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), via: z.array(z.unknown()) }),
  ),
})

const Failure = z.object({
  message: z.string().optional(),
  error: z.object({ summary: z.string() }).optional(),
})

const FAILING: readonly string[] = ['high', 'critical']

export interface AuditVerdict {
  readonly hasPassed: boolean
  readonly text: string
}

/** Judges the output of `npm audit --omit=dev --json`. A missing report is not a failure. */
export function auditVerdict(output: string): AuditVerdict {
  const report = Report.safeParse(jsonOf(output))
  if (!report.success) return { hasPassed: true, text: `npm audit: not done: ${reasonIn(output)}` }
  const found = Object.entries(report.data.vulnerabilities)
  const failing = found.filter(([, { severity }]) => FAILING.includes(severity))
  const lines = failing.map(([name, { severity, range }]) => `${name} ${range}: ${severity}`)
  const rest = found.length - failing.length
  return {
    hasPassed: failing.length === 0,
    text: [
      `npm audit: ${failing.length} packages of high or critical severity, ${rest} below`,
      ...lines,
    ].join('\n'),
  }
}

/** The error of npm, e.g. `405 Method Not Allowed - POST …`. */
function reasonIn(output: string): string {
  const failure = Failure.safeParse(jsonOf(output))
  if (!failure.success) return 'npm gave no report'
  return failure.data.message ?? failure.data.error?.summary ?? 'npm gave no reason'
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
