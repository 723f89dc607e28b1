/** A real OpenID Connect provider in this process, for whoever stands on the testbed. */
export { startProvider } from '@mdm/server/testing/oidc-provider.ts'
