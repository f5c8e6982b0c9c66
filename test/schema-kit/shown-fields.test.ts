import { describe, expect, it } from 'vitest'
import { builder } from '../../src/schema-kit/builder.js'
import {
  buildFields,
  flag,
  instant,
  integer,
  shownFields,
  text,
  uuid,
} from '../../src/schema-kit/shown-fields.js'

interface Parent {
  readonly name: string
  readonly size: number | null
}

/** Compiled, never called: it would add its types to the schema. */
function declareTypes(): void {
  builder.objectRef<Parent>('ShownObject').implement({
    fields: shownFields(() => ({
      name: text('The name.'),
      title: text.inGraph('The name.', 'name'),
      size: integer.orNull('The size.'),
      // @ts-expect-error: the parent has no such member
      hidden: text.inGraph('The name.'),
      // @ts-expect-error: a number
      width: text.orNull('The size.', 'size'),
      // @ts-expect-error: may be null
      length: integer('The size.', 'size'),
    })),
  })
  builder.interfaceRef<Parent>('ShownInterface').implement({
    fields: shownFields(() => ({
      name: text('The name.'),
      // @ts-expect-error: the parent has no such member
      title: text('The name.'),
    })),
  })
  builder.prismaObject('ApiKey', {
    variant: 'ShownKey',
    select: { keyId: true },
    fields: (t) =>
      buildFields(t, {
        id: uuid('The key.', 'keyId'),
        ends: instant.orNull('Its end.', 'expiresAt'),
        // @ts-expect-error: the model has no such column
        secret: text('The secret.'),
        // @ts-expect-error: a text
        label: flag('The label.'),
        // @ts-expect-error: may be null
        end: instant('Its end.', 'expiresAt'),
      }),
  })
}

describe('a field that shows a member of its parent', () => {
  it('compiles only with a member that the parent has, with the type of its kind', () => {
    expect(declareTypes).toBeTypeOf('function')
  })
})
