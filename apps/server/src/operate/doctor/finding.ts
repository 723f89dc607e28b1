export type Finding = {
  subject: string
  state: 'fine' | 'warning' | 'fault'
  says: string
  /** What to do about it. */
  advice?: string
}

export const fine = (subject: string, says: string): Finding => ({ subject, state: 'fine', says })
export const warning = (subject: string, says: string, advice: string): Finding => ({
  subject,
  state: 'warning',
  says,
  advice,
})
export const fault = (subject: string, says: string, advice: string): Finding => ({
  subject,
  state: 'fault',
  says,
  advice,
})
export const messageOf = (error: unknown): string => {
  const { message, code, cause } = error as NodeJS.ErrnoException
  // fetch says no more than that it failed.
  if (cause instanceof Error) return messageOf(cause)
  return message || code || String(error)
}
