import type { Account } from '../../../generated/prisma/client.js'
import { storedTier } from '../../../policy/tiers.js'
import { builder } from '../../../schema-kit/builder.js'
import { type ArgBuilder, hints, mutationEndpoint, queryEndpoint } from '../../../schema-kit/fields.js'
import { instant, integer, shownFields, text, uuid } from '../../../schema-kit/shown-fields.js'
import { toPrismaSelect } from '../../../schema-kit/to-prisma-select.js'
import type { AccountRow } from '../account-store.js'
import { type AuthResponse, parseLogin, parseRegistration } from '../model.js'
import { deleteMe, ownAccount } from '../service.js'
import { TierType } from '../tier-schema.js'
import { login, register } from './login-service.js'

const UserProfileType = builder.prismaObject('Account', {
  variant: 'UserProfile',
  description: 'An account.',
  select: { accountId: true },
  fields: (t) =>
    shownFields(t, {
      id: uuid('UUID of the account.', 'accountId'),
      email: text.orNull(
        'E-mail in lower case; null for an account that an operator created without an e-mail.',
      ),
      tier: t.field({
        type: TierType,
        select: { tier: true },
        description: 'Tier that decides scopes and quotas.',
        resolve: ({ tier }) => storedTier(tier),
      }),
      created_at: instant('When the account was created.', 'createdAt'),
    }),
})

const AuthResponseType = builder.objectRef<AuthResponse>('AuthResponse').implement({
  description: 'An access token and its account.',
  fields: (t) =>
    shownFields(t, {
      access_token: text(
        'Send it as `Authorization: Bearer <access_token>`. The token has all scopes of the account.',
      ),
      token_type: text('Always bearer.'),
      expires_in: integer('Seconds until the token expires.'),
      user: t.prismaField({
        type: UserProfileType,
        description: 'The account.',
        // Login and registration read the account with all columns of the type.
        resolve: (_query, { user }) => user as AccountRow & Account,
      }),
    }),
})

const EMAIL = 'E-mail, at most 254 characters; case does not matter.'

function credentialArguments(arg: ArgBuilder, passwordText: string) {
  return {
    email: arg.string({
      required: true,
      description: EMAIL,
      ...hints({ example: 'ada@example.org', maxLength: 254 }),
    }),
    password: arg.string({
      required: true,
      description: passwordText,
      ...hints({ example: 'correct horse battery', maxLength: 128 }),
    }),
  }
}

mutationEndpoint('register', {
  summary: 'Register',
  description:
    'Creates an account on tier free and logs it in. 409 when an account with this e-mail and password exists. The same e-mail with another password creates another account, so that nobody can find out which e-mails are registered. Limits: 10 registrations per client address and hour, 10 per e-mail in 30 days, 20 accounts per e-mail (409 beyond), and all limits of `login`, whose attempts these registrations count as.',
  access: 'open',
  cost: 'free',
  rest: { method: 'POST', path: '/auth/register', tag: 'access', status: 201 },
  errors: ['conflict', 'rate_limit_exceeded'],
  type: AuthResponseType,
  args: (arg) => credentialArguments(arg, '12 to 128 characters, not the e-mail itself.'),
  check: (args) => parseRegistration(args),
  resolve: (registration, context) => register(context, registration),
})

mutationEndpoint('login', {
  summary: 'Log in',
  description:
    'Returns an access token for an e-mail and a password. An unknown e-mail and a wrong password give the same 401. Limits in 15 minutes: 10 attempts per e-mail and client address, 60 per client address, and 100 per e-mail. Over the last one, an account can still log in from an address where it has logged in before. Registrations count as attempts.',
  access: 'open',
  cost: 'free',
  rest: { method: 'POST', path: '/auth/login', tag: 'access' },
  errors: ['unauthorized', 'rate_limit_exceeded'],
  type: AuthResponseType,
  args: (arg) => credentialArguments(arg, 'The password.'),
  check: (args) => parseLogin(args),
  resolve: (credentials, context) => login(context, credentials),
})

queryEndpoint('me', {
  summary: 'Own account',
  description: 'The account that the key or token belongs to.',
  access: 'account',
  cost: 'free',
  rest: { method: 'GET', path: '/auth/me', tag: 'access' },
  type: UserProfileType,
  check: () => null,
  resolve: (_, context, info) => ownAccount(context, toPrismaSelect(context, info, { accountId: true })),
})

mutationEndpoint('delete_me', {
  summary: 'Delete own account',
  description:
    'Deletes all personal data of the account and ends all its keys and tokens at once. Usage totals stay. This cannot be undone. Needs an access token: 403 for an API key. Returns true.',
  access: 'token',
  cost: 'free',
  rest: { method: 'DELETE', path: '/auth/me', tag: 'access', status: 204 },
  errors: ['forbidden'],
  type: 'Boolean',
  check: () => null,
  resolve: async (_, context) => {
    await deleteMe(context)
    return true
  },
})
