import type { Language } from '@mdm/contract'
import type * as z from 'zod'
import en from 'zod/v4/locales/en.js'
import vi from 'zod/v4/locales/vi.js'
import zhCN from 'zod/v4/locales/zh-CN.js'

const locales = { en, vi, 'zh-cn': zhCN }

/** Dotted path -> message in the caller's language, one a field, for `data.fields`. */
export function fieldMessages(error: z.ZodError, language: Language): Record<string, string> {
  const localized = locales[language]().localeError
  const fields: Record<string, string> = {}
  for (const issue of error.issues) {
    const field = issue.path.join('.')
    fields[field] ??=
      issue.code === 'custom' || isOwnPattern(issue)
        ? issue.message
        : (messageText(localized(issue as never)) ?? issue.message)
  }
  return fields
}
/** Consoles recognise a failed pattern by these words (specification, section 8), so they stay in every language. */
const isOwnPattern = (issue: z.core.$ZodIssue): boolean => issue.message.includes('must match regular expression')
const messageText = (message: string | { message: string } | null | undefined): string | undefined =>
  typeof message === 'string' ? message : message?.message
