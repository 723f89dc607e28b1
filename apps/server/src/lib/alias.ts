import { constants } from '@mdm/contract'

/** Why devices may not bear this alias (specification, section 5). */
export function aliasFault(name: string): 'alias_too_long' | 'alias_has_percent' | undefined {
  if ([...name].length > constants.alias_max) return 'alias_too_long'
  return name.includes('%') ? 'alias_has_percent' : undefined
}
