import { builder } from '../../schema-kit/builder.js'
import { DiscoverResultType } from '../instruments/schema.js'
import { getLanguages } from './snapshots/service.js'

builder.objectFields(DiscoverResultType, (t) => ({
  analyses_available: t.stringList({
    description:
      'Languages in which analyses of the asset are stored, as codes such as en. Empty: there is none.',
    resolve: ({ assetId }, _args, context) => (assetId === null ? [] : getLanguages(assetId, context)),
  }),
}))
