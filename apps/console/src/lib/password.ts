/** Specification, section 5: 6 to 18 characters mixing letters, digits and special characters; each part can be ticked off. */
export const passwordParts = {
  length: (text: string) => text.length >= 6 && text.length <= 18,
  letter: (text: string) => /[A-Za-z]/.test(text),
  digit: (text: string) => /\d/.test(text),
  special: (text: string) => /[^A-Za-z\d\s]/.test(text),
} as const

export const isPassword = (text: string): boolean => Object.values(passwordParts).every((holds) => holds(text))
