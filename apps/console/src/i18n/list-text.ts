import type { Language } from '@mdm/contract'
import { useSessionStore } from '../core/session-store.ts'
import { kept } from '../lib/kept.ts'
import { localeOf } from './language.ts'

/** What is empty is left out. */
type Text = string | false | null | undefined

const formatOf = kept(
  (language: Language) => new Intl.ListFormat(localeOf[language], { type: 'conjunction', style: 'narrow' }),
)

/** Names and values one after the other, as the person's language separates them: 'a, b, c' or 'a、b、c'. */
export const listText = (items: readonly Text[]): string =>
  formatOf(useSessionStore.getState().language).format(items.flatMap((item) => item || []))

/** Sentences one after the other: Chinese has no space behind its full stop. */
export const sentences = (...all: readonly Text[]): string =>
  all.filter(Boolean).join(useSessionStore.getState().language === 'zh-cn' ? '' : ' ')
