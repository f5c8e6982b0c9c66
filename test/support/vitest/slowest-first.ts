import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readDurations } from './measured-durations.js'

/** Starts the files that took longest when they were measured first, so that the workers end together. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations()
    const secondsOf = ({ moduleId }: TestSpecification) =>
      durations[relative(this.ctx.config.root, moduleId)] ?? 0
    return (await super.sort(files)).sort((a, b) => secondsOf(b) - secondsOf(a))
  }
}
