/** These secrets are public, so they are used only if no other machine or user can reach the gateway or its database. */
export const DEVELOPMENT_PEPPER = 'development-pepper-known-to-everybody'
export const DEVELOPMENT_JWT_SECRET = Buffer.from('development-signing-key-known-to-everybody').toString(
  'base64url',
)
