import type { Language } from '@mdm/contract'
import { readStored } from '../lib/stored.ts'

const known: readonly Language[] = ['en', 'vi', 'zh-cn']

/** Specification, section 9: the stored choice, then the browser's language, then the default of the build. */
export function startLanguage(): Language {
  const stored = known.find((language) => language === readStored('local', 'language'))
  return stored ?? browserLanguage() ?? defaultLanguage
}

/** English in the global build, Chinese otherwise. */
const defaultLanguage: Language = import.meta.env?.VITE_REGION === 'cn' ? 'zh-cn' : 'en'

function browserLanguage(): Language | undefined {
  for (const tag of globalThis.navigator?.languages ?? []) {
    const lower = tag.toLowerCase()
    if (lower.startsWith('zh')) return 'zh-cn'
    const found = known.find((language) => lower === language || lower.startsWith(`${language}-`))
    if (found) return found
  }
  return undefined
}

/** Names of the languages, each in itself. */
export const languageNames: Record<Language, string> = { en: 'English', vi: 'Tiếng Việt', 'zh-cn': '简体中文' }
/** BCP 47 tags for Intl and the document. */
export const localeOf: Record<Language, string> = { en: 'en-GB', vi: 'vi-VN', 'zh-cn': 'zh-CN' }
