// The layer rules of the source tree, for dependency-cruiser: arrows go down only. A folder not named under
// `may` of its own row may not be imported from it. Run by `npm run check:layers`.

/** What each part may import inside src, beside itself. */
const MAY = {
  '^src/core/': [],
  '^src/policy/': ['core'],
  '^src/platform/': ['core', 'policy', 'generated'],
  '^src/graphql/': ['core', 'policy', 'platform', 'generated'],
  '^src/ingest/(?!providers/)': [
    'core',
    'platform',
    'domains/[^/]+/[a-z-]*(store|model)',
    'ingest/providers',
  ],
  '^src/http/': ['core', 'policy', 'platform', 'graphql', 'domains/access/(service|model)'],
  '^src/rest/': ['core', 'policy', 'platform', 'graphql'],
}

const layers = Object.entries(MAY).map(([from, may]) => {
  const own = from.replace('^src/', '').replace('/(?!providers/)', '/').replace(/\/$/, '')
  return {
    name: `layer ${own}`,
    severity: 'error',
    from: { path: from },
    to: { path: '^src/', pathNot: [own, ...may].map((part) => `^src/${part}[./]`) },
  }
})

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'domains stand on core, policy, platform',
      severity: 'error',
      from: { path: '^src/domains/' },
      to: { path: '^src/', pathNot: '^src/(core|policy|platform|generated|domains|graphql)/' },
    },
    {
      name: 'only schema.ts of a domain knows GraphQL',
      severity: 'error',
      from: { path: '^src/domains/', pathNot: '/schema\\.ts$' },
      to: { path: '^src/graphql/' },
    },
    {
      name: 'another domain by its model, service or schema only',
      severity: 'error',
      from: { path: '^src/domains/([^/]+)/' },
      to: { path: '^src/domains/', pathNot: ['^src/domains/$1/', '/(model|service|schema)\\.ts$'] },
    },
    {
      name: 'providers read bytes and know no network, platform or other provider',
      severity: 'error',
      from: { path: '^src/ingest/providers/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/core/',
          '^src/ingest/feed\\.ts$',
          '^src/domains/[^/]+/model\\.ts$',
          '^src/ingest/providers/$1/',
        ],
      },
    },
    {
      name: 'nothing imports main',
      severity: 'error',
      from: {},
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'the environment is read in config.ts only; app.ts is above everything',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/((main|app|app-parts|configured-access|development)\\.ts$|process/)',
      },
      to: { path: '^src/(app|app-parts|config|configured-access|development|schema)\\.ts$' },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', 'src/generated'] },
    exclude: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
