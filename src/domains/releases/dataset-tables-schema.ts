import { builder } from '../../schema-kit/builder.js'
import { shownFields, text } from '../../schema-kit/shown-fields.js'
import { DatasetType } from '../datasets/schema.js'
import { type ReleaseColumn, type ReleaseTable, releaseColumns } from './tables/release-table.js'
import { RELEASE_TABLES } from './tables/release-tables.js'

const ColumnType = builder.objectRef<ReleaseColumn>('DatasetColumn').implement({
  description: 'A column of a table of a dataset, as releases have it.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      name: text('Name of the column.'),
      type: t.string({
        description:
          'text, integer, number, decimal, boolean, date or timestamp; of a list with [] after it.',
        resolve: ({ type, isList }) => (isList ? `${type}[]` : type),
      }),
      unit: text.orNull('Unit of the values. Null for a name, a key or an instant.'),
      description: text('What the column has.'),
    }),
})

const TableType = builder.objectRef<ReleaseTable>('DatasetTable').implement({
  description: 'A table of a dataset, which can be released.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      name: text('Name of the table in releases; field `releases` takes it as `dataset`.', 'dataset'),
      columns: t.field({ type: [ColumnType], description: 'The columns in order.', resolve: releaseColumns }),
    }),
})

builder.objectField(DatasetType, 'tables', (t) =>
  t.field({
    type: [TableType],
    subGraphs: ['Graph'],
    description: 'The tables of the dataset with their columns. Empty for a dataset that is not released.',
    resolve: ({ dataset }) => RELEASE_TABLES.filter(({ partOf }) => partOf === dataset),
  }),
)
