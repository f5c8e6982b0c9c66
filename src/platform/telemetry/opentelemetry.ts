import { createRequire } from 'node:module'

export type OpenTelemetry = Awaited<ReturnType<typeof importPackages>>

const manifest = createRequire(import.meta.url)('../../../package.json') as {
  readonly peerDependencies: Readonly<Record<string, string>>
} // our own file

/** Loads OpenTelemetry. If it is not installed, throws an error with the command that installs it. */
export async function loadOpenTelemetry(): Promise<OpenTelemetry> {
  try {
    return await importPackages()
  } catch (error) {
    if (!isMissingPackage(error)) throw error
    const packages = Object.entries(manifest.peerDependencies).map(([name, version]) => `${name}@${version}`)
    const message = `OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed. Install it next to the gateway: npm install ${packages.join(' ')}`
    throw new Error(message, { cause: error })
  }
}

async function importPackages() {
  const [api, metricExporter, traceExporter, resources, metrics, traces] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/sdk-trace-base'),
  ])
  return { ...api, ...metricExporter, ...traceExporter, ...resources, ...metrics, ...traces }
}

function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
