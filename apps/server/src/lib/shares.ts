/**
 * Of a limit that a customer and its sub-accounts share: what is used of it, and what is kept for sub-accounts that were given a
 * share and have not used it up.
 */
export type Shared = { max: number; used: number; kept: number }

/** What is left for an account with a share, which is kept for it already, or for one without. */
export const leftAbove = ({ max, used, kept }: Shared, has_share: boolean): number =>
  max - used - (has_share ? 0 : kept)

/** A share of null is none. */
export const keptOf = (shares: readonly { share: number | null; used: number }[]): number =>
  shares.reduce((sum, { share, used }) => sum + (share === null ? 0 : Math.max(0, share - used)), 0)
