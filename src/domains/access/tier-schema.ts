import { builder } from '../../graphql/builder.js'

export const TierType = builder.enumType('Tier', {
  description: 'Tier of an account, in rising order; each holds all that the ones below hold.',
  values: {
    free: { value: 'free', description: '10,000 requests a month.' },
    starter: { value: 'starter', description: '100,000 requests a month.' },
    growth: { value: 'growth', description: '500,000 requests a month.' },
    pro: { value: 'pro', description: '5,000,000 requests a month.' },
    enterprise: { value: 'enterprise', description: 'Requests by contract.' },
  } as const,
})
