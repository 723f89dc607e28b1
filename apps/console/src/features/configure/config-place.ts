import { ltscopes } from '@mdm/contract'

export type ConfigPlace = {
  ltscope: number
  terminal_group_kid?: string
  profile_kid?: string
  terminal_kid?: string
}

/** How a call names a level. */
export function placeOf({ ltscope, kid }: { ltscope: number; kid: string | null }): ConfigPlace {
  if (kid === null) return { ltscope }
  if (ltscope === ltscopes.profile) return { ltscope, profile_kid: kid }
  return ltscope === ltscopes.terminal ? { ltscope, terminal_kid: kid } : { ltscope, terminal_group_kid: kid }
}
