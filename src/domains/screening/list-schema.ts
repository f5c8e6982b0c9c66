import { builder } from '../../schema-kit/builder.js'
import { type Freshness, FreshnessType } from '../../schema-kit/envelope.js'
import { programOf, type SanctionsProgram } from './programs-model.js'
import type { ListState } from './screening-meta.js'
import type { ListEntry } from './service.js'

export const SanctionsProgramType = builder.objectRef<SanctionsProgram>('SanctionsProgram').implement({
  description: 'A sanctions programme: its legal basis and the measures it provides for.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    key: t.exposeString('key', {
      description: "Code of the programme. If it is not in the dictionary, the list's code.",
    }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'Subject of the programme. Null if it is not in the dictionary.',
    }),
    issuer: t.exposeString('issuer', {
      nullable: true,
      description: 'Authority behind the programme. Null if it is not in the dictionary.',
    }),
    measures: t.exposeStringList('measures', {
      description: 'Measures that the programme provides for. Empty if it is not in the dictionary.',
    }),
  }),
})

export const ListEntryType = builder.objectRef<ListEntry>('SanctionsListEntry').implement({
  description: 'The current or last entry of a legal entity in one list.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    list: t.exposeString('list', { description: 'Name of the list, as in lists_covered.' }),
    subject_id: t.exposeString('subjectId', { description: 'Id of the entity in the list.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Name as written in the list. Null if the list has none.',
    }),
    is_listed: t.exposeBoolean('isListed', {
      description: 'True while the list names the entity as sanctioned.',
    }),
    programs: t.field({
      type: [SanctionsProgramType],
      description: 'Programmes of all designations of the entity in this list, including those that ended.',
      resolve: ({ programs }) => programs.map(programOf),
    }),
    listed_on: t.expose('listedOn', {
      type: 'Date',
      nullable: true,
      description: 'Day of the latest listing. Null if the list states none.',
    }),
    known_from: t.expose('knownFrom', {
      type: 'DateTime',
      description: 'Time from which this service knew this entry.',
    }),
    left_at: t.expose('leftAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When this service found that the list no longer names the entity or its LEI. Null while the list names it.',
    }),
  }),
})

export const LoadedListType = builder
  .objectRef<ListState & { readonly freshness: Freshness }>('SanctionsList')
  .implement({
    description: 'A loaded sanctions list.',
    fields: (t) => ({
      list: t.exposeString('list', { description: 'Name of the list, as in lists_covered.' }),
      title: t.exposeString('title', { description: 'Title of the list.' }),
      version: t.exposeInt('version', {
        description: 'Version of the loaded list. It rises by one with each change.',
      }),
      source: t.exposeString('source', {
        description: 'Provider of the list. seed marks synthetic data.',
      }),
      license: t.exposeString('licence', {
        nullable: true,
        description: 'Terms of use of the list. Null if the list does not state them.',
      }),
      attribution: t.exposeString('attribution', {
        nullable: true,
        description: 'Credit line that the licence requires. Null if it requires none.',
      }),
      is_dev_dataset: t.exposeBoolean('isDevDataset', {
        description: 'True for synthetic seed data, false for live data.',
      }),
      _meta: t.expose('freshness', { type: FreshnessType, description: 'Freshness of the list.' }),
    }),
  })
