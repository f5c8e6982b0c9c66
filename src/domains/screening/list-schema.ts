import { builder } from '../../schema-kit/builder.js'
import { type Freshness, FreshnessType } from '../../schema-kit/envelope.js'
import {
  day,
  flag,
  instant,
  integer,
  shownAs,
  shownFields,
  text,
  texts,
} from '../../schema-kit/shown-fields.js'
import { programOf, type SanctionsProgram } from './programs-model.js'
import type { ListState } from './screening-meta.js'

export const SanctionsProgramType = builder.objectRef<SanctionsProgram>('SanctionsProgram').implement({
  description: 'A sanctions programme: its legal basis and the measures it provides for.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      key: text("Code of the programme. If it is not in the dictionary, the list's code."),
      title: text.orNull('Subject of the programme. Null if it is not in the dictionary.'),
      issuer: text.orNull('Authority behind the programme. Null if it is not in the dictionary.'),
      measures: texts('Measures that the programme provides for. Empty if it is not in the dictionary.'),
    }),
})

export const ListEntryType = builder.prismaObject('SanctionsSubject', {
  variant: 'SanctionsListEntry',
  select: {
    list: true,
    subjectId: true,
    name: true,
    isListed: true,
    programs: true,
    listedOn: true,
    knownFrom: true,
    knownTo: true,
  },
  description: 'The current or last entry of a legal entity in one list.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      list: text('Name of the list, as in lists_covered.'),
      subject_id: text('Id of the entity in the list.', 'subjectId'),
      name: text.orNull('Name as written in the list. Null if the list has none.'),
      is_listed: flag('True while the list names the entity as sanctioned.', 'isListed'),
      programs: t.field({
        type: [SanctionsProgramType],
        description: 'Programmes of all designations of the entity in this list, including those that ended.',
        resolve: ({ programs }) => programs.map(programOf),
      }),
      listed_on: day.orNull('Day of the latest listing. Null if the list states none.', 'listedOn'),
      known_from: instant('Time from which this service knew this entry.', 'knownFrom'),
      left_at: instant.orNull(
        'When this service found that the list no longer names the entity or its LEI. Null while the list names it.',
        'knownTo',
      ),
    }),
})

export const LoadedListType = builder
  .objectRef<ListState & { readonly freshness: Freshness }>('SanctionsList')
  .implement({
    description: 'A loaded sanctions list.',
    fields: (t) =>
      shownFields(t, {
        list: text('Name of the list, as in lists_covered.'),
        title: text('Title of the list.'),
        version: integer('Version of the loaded list. It rises by one with each change.'),
        source: text('Provider of the list. seed marks synthetic data.'),
        license: text.orNull('Terms of use of the list. Null if the list does not state them.', 'licence'),
        attribution: text.orNull('Credit line that the licence requires. Null if it requires none.'),
        is_dev_dataset: flag('True for synthetic seed data, false for live data.', 'isDevDataset'),
        _meta: shownAs(FreshnessType)('Freshness of the list.', 'freshness'),
      }),
  })
