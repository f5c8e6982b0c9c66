import { spawnSync } from 'node:child_process'

/**
 * The seed of tests that draw their questions: the same for one commit, so that a failure comes again, and another for the
 * next. 1 outside a repository.
 */
export function commitSeed(): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : 1
}
