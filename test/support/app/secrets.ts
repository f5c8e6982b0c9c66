/** Secrets of a test's own, as an installation with DATABASE_URL needs them. */
export const OWN_SECRETS = {
  KEY_PEPPER: 'a pepper for tests, 32 characters or more',
  JWT_KEYS: `test:${Buffer.alloc(32, 1).toString('base64url')}`,
} as const
