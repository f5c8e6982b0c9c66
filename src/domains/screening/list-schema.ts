import { builder } from '../../schema-kit/builder.js'
import { type Freshness, FreshnessType } from '../../schema-kit/envelope.js'
import { programOf, type SanctionsProgram } from './programs-model.js'
import type { ListState } from './screening-meta.js'
import type { ListEntry } from './service.js'

export const SanctionsProgramType = builder.objectRef<SanctionsProgram>('SanctionsProgram').implement({
  description: 'A sanctions programme: the law that somebody is listed under, and what follows from it.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    key: t.exposeString('key', {
      description: "Code of the programme; the list's own where the dictionary has none.",
    }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'Subject of the programme. Null: not in the dictionary.',
    }),
    issuer: t.exposeString('issuer', {
      nullable: true,
      description: 'Authority behind the programme. Null: not in the dictionary.',
    }),
    measures: t.exposeStringList('measures', {
      description: 'Measures that the programme provides for. Empty: not in the dictionary.',
    }),
  }),
})

export const ListEntryType = builder.objectRef<ListEntry>('SanctionsListEntry').implement({
  description: 'A legal entity in one list, as it is or last was.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    list: t.exposeString('list', { description: 'The list, one of lists_covered.' }),
    subject_id: t.exposeString('subjectId', { description: 'The entity within the list.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Name as the list has it. Null where it has none.',
    }),
    is_listed: t.exposeBoolean('isListed', {
      description: 'True while the list has the entity as sanctioned.',
    }),
    programs: t.field({
      type: [SanctionsProgramType],
      description: 'Programmes of all its designations in this list, those that have ended too.',
      resolve: ({ programs }) => programs.map(programOf),
    }),
    listed_on: t.expose('listedOn', {
      type: 'Date',
      nullable: true,
      description: 'Day of the latest listing. Null where the list states none.',
    }),
    known_from: t.expose('knownFrom', {
      type: 'DateTime',
      description: 'Since when the list is known here to say this.',
    }),
    left_at: t.expose('leftAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the entity, or its LEI, was found gone from the list. Null while it is there.',
    }),
  }),
})

export const LoadedListType = builder
  .objectRef<ListState & { readonly freshness: Freshness }>('SanctionsList')
  .implement({
    description: 'A list that is loaded.',
    fields: (t) => ({
      list: t.exposeString('list', { description: 'Name of the list, as in lists_covered.' }),
      title: t.exposeString('title', { description: 'What the list is.' }),
      version: t.exposeInt('version', { description: 'Rises by one with each change of the list here.' }),
      source: t.exposeString('source', { description: 'Provider of the list; seed is synthetic.' }),
      license: t.exposeString('licence', {
        nullable: true,
        description: 'On what terms the list may be used. Null where it does not say.',
      }),
      attribution: t.exposeString('attribution', {
        nullable: true,
        description: 'Credit line that the licence asks for. Null where there is none.',
      }),
      is_dev_dataset: t.exposeBoolean('isDevDataset', {
        description: 'True for synthetic seed data, false for live data.',
      }),
      _meta: t.expose('freshness', { type: FreshnessType, description: 'How fresh the list is.' }),
    }),
  })
