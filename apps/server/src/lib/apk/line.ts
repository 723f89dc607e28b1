/** One line that can be stored and shown; null when nothing is left. */
export const line = (text: string | null, max: number): string | null =>
  text
    ?.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed() || null
