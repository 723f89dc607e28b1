import * as z from 'zod'
import { Kid, wrong } from '../wire.ts'
import { TerminalFilter } from './terminal_filter.ts'

/** As many as one call names; more are said by what they match. */
export const named_max = 1000

/**
 * Which devices are meant, in every call that does something to several: those that are named, or every device that
 * matches, be it a group (`terminal_group_kid`), a dynamic group, any other filter or all (`{}`).
 */
export const targets = {
  terminal_kids: z.array(Kid).min(1).max(named_max).optional(),
  match: TerminalFilter.optional().describe('every device that matches, instead of named ones'),
}
export type Targets = { terminal_kids?: readonly string[] | undefined; match?: TerminalFilter | undefined }

/** How many of `of` are given. */
export const given = (...of: unknown[]): number => of.filter((each) => each !== undefined).length
/** For `refine`: devices are named or matched, one of the two. */
export const namedOrMatched = [
  ({ terminal_kids, match }: Targets): boolean => given(terminal_kids, match) === 1,
  wrong('named_or_match', undefined, 'terminal_kids'),
] as const
