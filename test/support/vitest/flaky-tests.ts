import type { Reporter, TestModule } from 'vitest/node'

/** Names, at the end of a run, the tests that failed and passed when they were repeated: each has a cause that is to be found. */
export class FlakyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `  ${module.relativeModuleId}: ${test.fullName}`),
    )
    if (flaky.length > 0)
      process.stdout.write(`\nFlaky (failed, and passed when repeated):\n${flaky.join('\n')}\n`)
  }
}
