import { describe, expect, it } from 'vitest'
import { MacroFrequencyType } from '../../src/domains/macro/series/series-schema.js'
import { builder } from '../../src/schema-kit/builder.js'
import {
  day,
  flag,
  instant,
  integer,
  number,
  shownAs,
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
    fields: (t) =>
      shownFields(t, {
        name: text('The name.'),
        title: text.inGraph('The name.', 'name'),
        size: integer.orNull('The size.'),
        // @ts-expect-error: the parent has no such member
        hidden: text.inGraph('The name.'),
        // @ts-expect-error: a number
        width: text.orNull('The size.', 'size'),
        // @ts-expect-error: may be null
        length: integer('The size.', 'size'),
      }),
  })
  builder.interfaceRef<Parent>('ShownInterface').implement({
    fields: (t) =>
      shownFields(t, {
        name: text('The name.'),
        // @ts-expect-error: the parent has no such member
        title: text('The name.'),
      }),
  })
  builder.prismaObject('ApiKey', {
    variant: 'ShownKey',
    select: { keyId: true },
    fields: (t) =>
      shownFields(t, {
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
  builder.prismaObject('ForexRate', {
    variant: 'ShownRate',
    fields: (t) =>
      shownFields(t, {
        date: day('The day.'),
        rate: number('The rate.'),
        // @ts-expect-error: an instant
        known_on: day('The day.', 'knownFrom'),
        // @ts-expect-error: a day
        published_at: instant('The instant.', 'date'),
        // @ts-expect-error: a decimal
        rate_text: text('The rate.', 'rate'),
        // @ts-expect-error: a text
        quote: number('The currency.'),
      }),
  })
  builder.prismaObject('MacroSeries', {
    variant: 'ShownSeries',
    fields: (t) =>
      shownFields(t, {
        frequency: shownAs(MacroFrequencyType)('The length of the periods.'),
        // @ts-expect-error: may be null
        unit: shownAs(MacroFrequencyType)('The unit.'),
        // @ts-expect-error: a number
        series: shownAs(MacroFrequencyType)('The series.', 'seriesId'),
      }),
  })
}

describe('a field that shows a member of its parent', () => {
  it('compiles only with a member that the parent has, with the type of its kind', () => {
    expect(declareTypes).toBeTypeOf('function')
  })
})
