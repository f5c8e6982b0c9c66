import type { Reporter, TestModule } from 'vitest/node'

/**
 * Names, at the end of a run, the tests that failed and passed when they were repeated, with their errors: each has a cause that
 * is to be found.
 */
export class FlakyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => {
          const reasons = (test.result().errors ?? []).map(({ message }) => `    ${message.split('\n')[0]}`)
          return [`  ${module.relativeModuleId}: ${test.fullName}`, ...reasons].join('\n')
        }),
    )
    if (flaky.length > 0)
      process.stdout.write(`\nFlaky (failed, and passed when repeated):\n${flaky.join('\n')}\n`)
  }
}
