// The layer rules of the source tree, for dependency-cruiser: arrows go down only. A part of src that is not named
// under `may` of a row may not be imported from it. Run by `npm run check -- layers`.

const swc = require('@swc/core')

// Before version 18, which needs Node.js 22, dependency-cruiser does not tell swc that a .tsx file has JSX, and fails at the
// first one (its issue 1081).
const { parseFileSync } = swc
swc.parseFileSync = (path, options) => parseFileSync(path, { ...options, tsx: path.endsWith('.tsx') })

/** Everything that requests are answered with, below the code that puts it together. */
const PARTS = [
  'core',
  'policy',
  'platform',
  'generated',
  'schema-kit',
  'domains',
  'ingest',
  'checks',
  'gateway',
]

/** What each part may import inside src, beside itself. A part without a row here is refused below. */
const MAY = {
  core: [],
  policy: ['core'],
  platform: ['core', 'policy', 'generated'],
  'schema-kit': ['core', 'policy', 'platform', 'generated'],
  // schema-kit only from schema.ts, another domain only by its model, service or schema: see the rules below.
  domains: ['core', 'policy', 'platform', 'generated', 'schema-kit'],
  // What a provider may import is a rule of its own below.
  ingest: [
    'core',
    'platform',
    'generated/columns',
    'config/(news-feeds|rpc-urls)',
    'domains/[^/]+/[a-z-]*(store|model)',
    'domains/[^/]+/[^/]+/[a-z-]*(store|model)',
    // Jobs write releases.
    'domains/releases/(write-release|apply-retention|wiring|tables/release-tables?)',
  ],
  // The questions about an installation, whose answers operators, balancers and metrics read.
  checks: ['core', 'platform', 'domains', 'ingest', 'config'],
  gateway: [
    'core',
    'policy',
    'platform',
    'schema-kit',
    'domains/access/(service|model)',
    'domains/assets/by-store',
    'domains/newsletter/(subscription-service|model)',
    'domains/forex/model',
    'domains/releases/(service|storage/release-store|manifest)',
    'config/cors-origins',
    'checks',
    'generated/page-assets/.*',
  ],
  generated: [],
  config: ['core', 'policy', 'platform'],
  // It finds the schema.ts of each domain by the folder, and slices the lists of what they make.
  schema: [
    'schema-kit',
    'gateway/graphql/run/sliced-lists',
    'domains/datasets/registry-model',
    'platform/import-each',
  ],
  'served-scopes': ['schema', 'schema-kit'],
  access: ['core', 'platform', 'domains', 'config', 'served-scopes'],
  wiring: [...PARTS, 'config', 'schema', 'access'],
  app: [...PARTS, 'config', 'schema', 'wiring', 'process'],
  // How a command reaches the gateway that runs; it knows none of the commands.
  control: ['core', 'platform'],
  // A command opens the database, or is handed that of the gateway, and runs the use cases of domains and ingest.
  commands: [...PARTS, 'config', 'access', 'served-scopes', 'control'],
  process: [...PARTS, 'config', 'schema', 'access', 'wiring', 'app', 'control', 'commands'],
  // Loads the command that was asked for.
  cli: ['core', 'platform', 'commands', 'main'],
  main: [...PARTS, 'config', 'schema', 'wiring', 'app', 'process'],
  // Runs in browsers: it is built into generated/page-assets, and no other part imports it.
  portal: [],
}

const inSrc = (part) => `^src/${part}[./]`

/** Puts a part together as the configuration says, and is called by what is above the part. */
const WIRING = '^src/.+/wiring\\.ts$'

const layers = Object.entries(MAY).flatMap(([part, may]) => [
  {
    name: `layer ${part}`,
    severity: 'error',
    from: { path: inSrc(part), pathNot: WIRING },
    to: { path: '^src/', pathNot: [part, ...may].map(inSrc) },
  },
  {
    name: `wiring of ${part}`,
    severity: 'error',
    from: { path: [`^src/${part}/wiring\\.ts$`, `^src/${part}/.+/wiring\\.ts$`] },
    to: { path: '^src/', pathNot: [part, ...may, 'config', 'schema', 'ingest/wiring'].map(inSrc) },
  },
])

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'every part of src has a row in the table above',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(MAY).map(inSrc) },
      to: {},
    },
    {
      name: 'only schema.ts of a domain knows GraphQL',
      severity: 'error',
      from: { path: '^src/domains/', pathNot: '[/-]schema\\.ts$' },
      to: { path: '^src/schema-kit/' },
    },
    {
      name: 'another domain by its model, service or schema only',
      severity: 'error',
      from: { path: '^src/domains/([^/]+)/' },
      to: {
        path: '^src/domains/',
        pathNot: ['^src/domains/$1/', '[/-](model|service|schema)\\.ts$'],
      },
    },
    {
      name: 'providers read bytes and know no network, platform or other provider',
      severity: 'error',
      from: { path: '^src/ingest/providers/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/core/',
          '^src/ingest/(feed|schedule)\\.ts$',
          '^src/ingest/bodies/',
          '^src/domains/[^/]+/model\\.ts$',
          '^src/domains/[^/]+/[a-z-]+-model\\.ts$',
          '^src/domains/[^/]+/[^/]+/[a-z-]+-model\\.ts$',
          '^src/ingest/providers/$1/',
        ],
      },
    },
    {
      name: 'nothing in src imports a script or a test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(scripts|test)/' },
    },
    {
      name: 'scripts import no test and not the entry of the process',
      severity: 'error',
      from: { path: '^scripts/' },
      to: { path: '^(test/|src/main\\.ts$)' },
    },
    { name: 'no cycles of files', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no cycles of folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', 'src/generated'] },
    exclude: { path: ['node_modules'] },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
}
