/** Names by which SQL_ACCEPTED_RISKS accepts what a login can do besides reading the views. */
export const SQL_RISKS = [
  'temporary-tables',
  'schema-public',
  'languages',
  'large-objects',
  'settings-and-notifications',
  'row-counts',
  'role-names',
  'relations',
  'temporary-file-size',
  'temporary-file-list',
] as const

export type SqlRisk = (typeof SQL_RISKS)[number]
