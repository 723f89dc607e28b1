/** Callers of every kind that the sweep of roles goes through. */
export const kinds = [
  'operator',
  'operator inside',
  'support without rights',
  'customer',
  'sub-account',
  'manager',
  'viewer',
  'manager of one group',
  'nobody in particular',
  'API token',
] as const
export type Kind = (typeof kinds)[number]

export const provider: readonly Kind[] = ['operator', 'operator inside']
/** The provider's users who have entered no customer: no tenant. */
export const outside: readonly Kind[] = ['operator', 'support without rights']
export const tenants = kinds.filter((kind) => !outside.includes(kind))
