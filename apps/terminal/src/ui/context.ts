import { createContext, useContext, useSyncExternalStore } from 'react'
import { languageOf, textsOf } from '../texts/language.ts'
import type { Texts } from '../texts/en.ts'
import type { Session } from '../session.ts'
import type { OpenView, View } from '../view.ts'

export type Parts = { view: OpenView; session: Session | undefined }
export const PartsContext = createContext<Parts | undefined>(undefined)

function useParts(): Parts {
  const parts = useContext(PartsContext)
  if (!parts) throw new Error('outside of the page')
  return parts
}
export function useView(): View {
  const { view } = useParts()
  return useSyncExternalStore(view.subscribe, () => view.now)
}
/** What the page can do; nothing before it has been opened. */
export const useSession = (): Session | undefined => useParts().session

export function useLanguage(): string {
  const { language } = useView().settings
  return languageOf([...(language === '' ? [] : [language]), ...navigator.languages])
}
export const useTexts = (): Texts => textsOf(useLanguage())
