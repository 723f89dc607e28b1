/** What was copied from a sheet, a mail or a delivery note: one below the other, or with anything between them; each once. */
export const pastedParts = (text: string): string[] => [...new Set(text.split(/[\s,;|"']+/).filter(Boolean))]
