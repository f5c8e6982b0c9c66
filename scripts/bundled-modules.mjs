// Writes the parts of libraries that the gateway uses as modules into src/generated, so that they are compiled with the
// gateway: viem and what it needs are 80 MB, of which this is a quarter of one, nodemailer is 3 MB, OpenTelemetry 13 MB.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'

const ENTRIES = {
  viem: `
export { createClient, custom } from 'viem'
export { getBalance, getBlock, getChainId, getCode, getTransactionCount, readContract } from 'viem/actions'
export { arbitrum, base, bsc, mainnet, optimism, polygon } from 'viem/chains'
`,
  websocket: `
export { WebSocketServer } from 'ws'
export { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
`,
  mcp: `
export { Server } from '@modelcontextprotocol/sdk/server/index.js'
export { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
export { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
`,
  nodemailer: `
export { default as MailComposer } from 'nodemailer/lib/mail-composer'
export { default as SMTPConnection } from 'nodemailer/lib/smtp-connection'
`,
  opentelemetry: `
export { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
export { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
export { resourceFromAttributes } from '@opentelemetry/resources'
export { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics'
export {
  AlwaysOffSampler, BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
`,
}

/** What is left of CommonJS in a bundle asks for modules of node by a function that ES modules do not have. */
const REQUIRE = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)`

/** OpenTelemetry's CommonJS cannot be cut to what is used; the others are resolved as Node does. */
const MAIN_FIELDS = { opentelemetry: ['module', 'main'] }

/** Directories of the packages that are in the modules. */
export async function writeBundledModules(root) {
  const packages = await Promise.all(
    Object.entries(ENTRIES).map(([name, entry]) => writeModule(root, name, entry)),
  )
  return [...new Set(packages.flat())].sort().map((path) => resolve(root, path))
}

async function writeModule(root, name, contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', legalComments: 'none' },
    // A second copy of graphql would not know the errors and types of the first; zod is there already.
    ...{ external: ['graphql', 'zod', 'zod/*'], banner: { js: REQUIRE } },
    ...(MAIN_FIELDS[name] ? { mainFields: MAIN_FIELDS[name] } : {}),
    // Half of a module is names and blanks.
    ...{ minify: true, write: false, metafile: true, logLevel: 'error' },
  })
  const directory = resolve(root, 'src/generated', name)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  // The types are those of the library, put on where the module is imported.
  writeFileSync(resolve(directory, `${name}.ts`), `// @ts-nocheck\n${outputFiles[0].text}`)
  return Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[0] ?? [])
}

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/
