type Env = Readonly<Record<string, string>>

/** A set of tests that `npm run trust` runs with larger numbers than the suite. */
export interface Part {
  readonly name: string
  readonly what: string
  /** Beginnings of the paths of its tests. */
  readonly tests: readonly string[]
  readonly env: { readonly whole: Env; readonly quick: Env }
}

const SAME = { whole: {}, quick: {} }

/** In the order in which they run. */
export const PARTS: readonly Part[] = [
  {
    name: 'parity',
    what: 'the same request over REST and GraphQL, every route and tier',
    tests: ['test/parity'],
    env: { whole: { PARITY_REQUESTS: '1000' }, quick: {} },
  },
  {
    name: 'fuzz',
    what: 'random requests from OpenAPI and from the schema',
    tests: ['test/fuzz'],
    env: { whole: { FUZZ_REQUESTS: '100000' }, quick: { FUZZ_REQUESTS: '5000' } },
  },
  {
    name: 'kills',
    what: 'kill -9 of gateways and commands under ingestion, analysis, new keys and metered load',
    tests: ['test/trust/kills-'],
    env: {
      whole: { TRUST_KILLS: '50', TRUST_MINUTES: '40' },
      quick: { TRUST_KILLS: '5', TRUST_MINUTES: '5' },
    },
  },
  {
    name: 'faults',
    what: 'the network to PostgreSQL and Redis fails in several ways under load',
    tests: ['test/trust/faults', 'test/support/cuttable-proxy'],
    env: { whole: { TRUST_FAULT_ROUNDS: '3' }, quick: {} },
  },
  {
    name: 'restarts',
    what: 'PostgreSQL, and workers in turn, killed and started again under load',
    tests: ['test/trust/restarts'],
    env: { whole: { TRUST_RESTARTS: '10', TRUST_WORKER_KILLS: '20' }, quick: {} },
  },
  {
    name: 'webhooks',
    what: '1,000 deliveries to a receiver that fails, from nodes that are killed: each delivered, in order per asset',
    tests: ['test/trust/webhooks'],
    env: {
      whole: { TRUST_WEBHOOK_EVENTS: '1000', TRUST_WEBHOOK_KILLS: '12' },
      quick: { TRUST_WEBHOOK_EVENTS: '300', TRUST_WEBHOOK_KILLS: '3' },
    },
  },
  {
    name: 'disk',
    what: 'the disk of the embedded database is full',
    tests: ['test/trust/disk-full'],
    env: SAME,
  },
  {
    name: 'providers',
    what: 'providers that hang, reset, send pages, endless bodies, bombs, loops and nonsense',
    tests: ['test/trust/providers'],
    env: SAME,
  },
  {
    name: 'clock',
    what: 'the clock of the process jumps',
    tests: ['test/trust/clock-jumps'],
    env: SAME,
  },
]
