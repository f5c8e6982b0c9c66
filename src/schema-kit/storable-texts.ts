import { Problems } from '../core/problems.js'
import type { RequestContext } from '../platform/request/request-context.js'

const NUL = '\u0000'

type Check<Args, Input> = (args: Args, context: RequestContext) => Input

/** The check with one more before it: no database can look for a text with the character U+0000, so it is refused. */
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
