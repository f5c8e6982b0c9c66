import { Problems } from '../core/problems.js'
import type { RequestContext } from '../platform/request/request-context.js'

const NUL = '\u0000'

type Check<Args, Input> = (args: Args, context: RequestContext) => Input

/** Adds a check that rejects the character U+0000, because PostgreSQL cannot store or compare it. */
export function withStorableTexts<Args, Input>(check: Check<Args, Input>): Check<Args, Input> {
  return (args, context) => {
    assertNoNul(args)
    return check(args, context)
  }
}

function assertNoNul(args: unknown): void {
  const problems = new Problems()
  for (const [name, value] of Object.entries(args ?? {})) {
    if (typeof value === 'string' && value.includes(NUL)) {
      problems.add(name, 'must not contain the character U+0000')
    }
  }
  problems.refuse()
}
