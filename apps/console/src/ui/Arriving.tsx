/** Class of a part of `.in-order` whose content is not known yet: what stands below it waits, and so keeps its place. */
export const arriving = ({ isPending }: { isPending: boolean }): string | undefined =>
  isPending ? 'arriving' : undefined

/** Stands in `.in-order` for a part that may turn out to be nothing. */
export const Arriving = () => <div className="arriving" hidden />
