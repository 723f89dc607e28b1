type Account = { account_kid: string; terminal_group_kids: readonly string[] | null }
/** For whom an OS version is. */
export type OsRecipients = { is_for_all: boolean; accounts: readonly Account[] }

/** What an account may have it for: everything, some of its groups, or nothing. */
type Share = 'all' | ReadonlySet<string>
const nothing: Share = new Set()

/** A sub-account has what the account above it has as a whole. */
export function osShareOf(
  { is_for_all, accounts }: OsRecipients,
  account: { kid: string; parent_kid: string | null },
): Share {
  const of = (kid: string | null) => accounts.find(({ account_kid }) => account_kid === kid)
  const own = of(account.kid)
  if (is_for_all || own?.terminal_group_kids === null || of(account.parent_kid)?.terminal_group_kids === null)
    return 'all'
  return own ? new Set(own.terminal_group_kids) : nothing
}

/** Whether there is something in the first that is not in the second. */
export const osShareExceeds = (share: Share, of: Share): boolean =>
  of !== 'all' && (share === 'all' || [...share].some((group) => !of.has(group)))

/** Whether somebody may have it afterwards who could not before. */
export const osAudienceGrows = (before: OsRecipients, after: OsRecipients): boolean =>
  !before.is_for_all &&
  (after.is_for_all ||
    after.accounts.some(({ account_kid: kid }) => {
      const account = { kid, parent_kid: null }
      return osShareExceeds(osShareOf(after, account), osShareOf(before, account))
    }))
