import { describedEnum } from '../../schema-kit/described-enum.js'

export const TierType = describedEnum(
  'Tier',
  'Tier of an account, in rising order. Each tier includes everything of the tiers below it.',
  {
    free: '10,000 requests a month.',
    starter: '100,000 requests a month.',
    growth: '500,000 requests a month.',
    pro: '5,000,000 requests a month.',
    enterprise: 'Requests by contract.',
  },
)
