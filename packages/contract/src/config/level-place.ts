import { ltscopes } from './names.ts'
import { Kid, QueryInt, wrong } from '../wire.ts'

const settable: readonly number[] = [ltscopes.account, ltscopes.group, ltscopes.terminal]
/** Fields of a level at which something may be set. */
export const levelPlace = {
  ltscope: QueryInt.refine((level) => settable.includes(level), wrong('not_one_of', { values: settable.join(', ') })),
  terminal_group_kid: Kid.optional().describe('with ltscope 30'),
  terminal_kid: Kid.optional().describe('with ltscope 40'),
}
type Place = { ltscope: number; terminal_group_kid?: string | undefined; terminal_kid?: string | undefined }
export const isLevelPlace = ({ ltscope, terminal_group_kid, terminal_kid }: Place) =>
  (ltscope === ltscopes.group) === (terminal_group_kid !== undefined) &&
  (ltscope === ltscopes.terminal) === (terminal_kid !== undefined)

/** Where sections may be set: at a level, or in a profile. */
export const configPlace = {
  ...levelPlace,
  ltscope: QueryInt.refine(
    (level) => level === ltscopes.profile || settable.includes(level),
    wrong('not_one_of', { values: [...settable, ltscopes.profile].join(', ') }),
  ),
  profile_kid: Kid.optional().describe('with ltscope 35'),
}
export const isConfigPlace = ({ profile_kid, ...place }: Place & { profile_kid?: string | undefined }) =>
  (place.ltscope === ltscopes.profile) === (profile_kid !== undefined) && isLevelPlace(place)
export const place_wrong = wrong('config_place', undefined, 'ltscope')
