/** Whom the OpenID Connect provider of the tests knows: what they type as their name there, and what it says of them. */
export const providerPeople = {
  linh: { email: 'linh@example.com', email_verified: true },
  nobody: { email: 'nobody@example.com', email_verified: true },
}
export const provider_name = 'Acme SSO'
