import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql'
import { DateScalar, DateTimeScalar, JsonObjectScalar } from '../../../src/schema-kit/scalars.js'

export const AssetClass = new GraphQLEnumType({
  name: 'AssetClass',
  description: 'What kind of asset it is.',
  values: {
    crypto: { description: 'A coin or token.' },
    stock: { description: 'A share.' },
    etf: { description: 'A fund.' },
    commodity: { description: 'A good.' },
  },
})

export const Even = new GraphQLScalarType({
  name: 'Even',
  description: 'Text of an even number.',
  parseValue: (value) => {
    if (Number(value) % 2 !== 0) throw new TypeError('odd')
    return Number(value)
  },
  serialize: () => {
    throw new Error('an input only: SOFA must not serialize what was read')
  },
})

const text = { type: GraphQLString, description: 'A text.' }

/** Echo of the arguments as the resolver got them: dates as ISO text, so that the test sees what arrived. */
export const Echo = new GraphQLObjectType({
  name: 'Echo',
  description: 'What the resolver was given.',
  fields: { args: { type: new GraphQLNonNull(JsonObjectScalar), description: 'The arguments.' } },
})

const Meta = new GraphQLObjectType({
  name: 'Meta',
  description: 'About the answer.',
  fields: {
    total: { type: GraphQLInt, description: 'Rows before paging.' },
    cache_hit: { type: new GraphQLNonNull(GraphQLBoolean), description: 'Served from the cache.' },
  },
})

export const Asset = new GraphQLObjectType({
  name: 'Asset',
  description: 'An asset.',
  fields: {
    id: { type: new GraphQLNonNull(GraphQLID), description: 'The slug.' },
    name: text,
    asset_class: { type: AssetClass, description: 'Its kind.' },
    price: { type: GraphQLFloat, description: 'US dollars; null without enough sources.' },
    listed_on: { type: DateScalar, description: 'First day.' },
    updated_at: { type: DateTimeScalar, description: 'Last change.' },
    aliases: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
      description: 'Names.',
    },
  },
})

export const AssetList = new GraphQLObjectType({
  name: 'AssetList',
  description: 'A page of assets.',
  fields: {
    data: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Asset))),
      description: 'The assets.',
    },
    meta: { type: new GraphQLNonNull(Meta), description: 'About the page.' },
  },
})

const Coin = new GraphQLObjectType({ name: 'Coin', description: 'A coin.', fields: { chain: text } })
const Share = new GraphQLObjectType({ name: 'Share', description: 'A share.', fields: { mic: text } })
export const Thing = new GraphQLUnionType({
  name: 'Thing',
  description: 'A coin or a share.',
  types: [Coin, Share],
  resolveType: (value: { mic?: string }) => (value.mic === undefined ? 'Coin' : 'Share'),
})

export const Range = new GraphQLInputObjectType({
  name: 'Range',
  description: 'From and to.',
  fields: {
    from: { type: new GraphQLNonNull(GraphQLInt), description: 'First.' },
    to: { type: GraphQLInt, description: 'Last; null: no end.' },
  },
})
