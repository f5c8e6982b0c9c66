import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Beginnings of the paths of files that take long, the slowest first: what starts processes, then what seeds or waits. In
 * between is what needs no seeded world: one worker makes it for all, and the others do not wait for it meanwhile.
 */
const SLOW = [
  'test/contract/install',
  'test/http/reference',
  'test/process/start.',
  'test/trust/webhooks',
  'test/process/',
  'test/http/graphiql',
  'test/contract/answer-scopes',
  'test/ingest/providers/',
  'test/ingest/run-',
  'test/fuzz/',
  'test/parity/',
  'test/contract/access-matrix',
  'test/platform/database/lost-answers',
  'test/trust/',
  'test/commands/',
  'test/graphql/document-memory',
  'test/ingest/schedule/',
  'test/ingest/seed/',
  'test/contract/nodes',
  'test/contract/guides',
  'test/http/portal',
  'test/http/explorers',
  'test/scripts/client/',
  'test/graphql/large-operations',
  'test/platform/database/',
  'test/domains/webhooks/',
  'test/ingest/',
  'test/domains/analysis/',
  'test/contract/',
  'test/domains/',
  'test/platform/',
]

/** Starts slow files first, so that the workers end together. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .map((file) => ({ file, rank: rankOf(relative(this.ctx.config.root, file.moduleId)) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ file }) => file)
  }
}

function rankOf(path: string): number {
  const at = SLOW.findIndex((beginning) => path.startsWith(beginning))
  return at < 0 ? SLOW.length : at
}
