import { texts as en } from './en.ts'
import type { Texts } from './en.ts'
import { texts as vi } from './vi.ts'
import { texts as zh } from './zh-cn.ts'

const catalogues: Record<string, Texts> = { en, vi, 'zh-cn': zh }

/** The first of the languages that there are texts in, as the browser (`vi-VN`) or a configuration (`vi_VN`) names them. */
export function languageOf(wanted: readonly string[]): string {
  for (const name of wanted) {
    const primary = name.toLowerCase().split(/[-_]/)[0]
    if (primary === 'zh') return 'zh-cn'
    if (primary === 'vi' || primary === 'en') return primary
  }
  return 'en'
}
export const textsOf = (language: string): Texts => catalogues[language] ?? en
