import { defineConfig } from 'vitest/config'
import { FlakyTests } from './test/support/vitest/flaky-tests.js'
import { MeasuredDurations } from './test/support/vitest/measured-durations.js'
import { SlowestFirst } from './test/support/vitest/slowest-first.js'

/** On two cores: of a worker's time a seventh is waiting, for PostgreSQL much more. */
const MAX_WORKERS = 3

export default defineConfig({
  // Vite would pick graphql's ESM build for our code while libraries load the CommonJS one: two realms.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // The sources run as Node.js loads them, by tsx: Vite's own modules take a fourteenth of the CPU time more, since they
    // look up each imported name whenever it is used.
    server: { deps: { external: [/\/src\//] } },
    include: ['test/**/*.test.ts'],
    reporters: ['default', new FlakyTests(), new MeasuredDurations()],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    maxWorkers: MAX_WORKERS,
    // On two cores helpers of the collector only take turns with who waits for them: a seventh of the CPU time less.
    execArgv: ['--import=tsx', '--single-threaded-gc', '--max-semi-space-size=64'],
    // Loading the gateway anew for each file took a quarter of the time; tests keep no state in modules.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // What takes milliseconds takes seconds beside the other workers; `eventually` of test/support waits as long.
    expect: { poll: { timeout: 15_000 } },
  },
})
