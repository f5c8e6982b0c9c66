import { builder } from '../../schema-kit/builder.js'
import { DiscoverResultType } from '../instruments/schema.js'
import { getLanguages } from './snapshots/service.js'

builder.objectFields(DiscoverResultType, (t) => ({
  analyses_available: t.stringList({
    description:
      'Language codes of the stored analyses of the asset, e.g. en. Empty when no analysis is stored.',
    resolve: ({ assetId }, _args, context) => (assetId === null ? [] : getLanguages(assetId, context)),
  }),
}))
