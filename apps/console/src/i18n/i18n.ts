import type { Language } from '@mdm/contract'
import i18next from 'i18next'
import type { BackendModule, FormatterModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { sessionState, useSessionStore } from '../core/session-store.ts'
import { catalogueOf } from './catalogue-name.ts'
import { kept } from '../lib/kept.ts'
import { localeOf } from './language.ts'
import type { Namespace, Texts } from './resources.ts'

type Loader = () => Promise<{ texts: Texts }>
/** One chunk per language and feature, fetched when a screen that needs it opens. */
const files: Record<string, Loader> = import.meta.glob<{ texts: Texts }>('../**/texts/{en,vi,zh-cn}.ts')
const loaders = new Map(
  Object.entries(files).map(([path, load]) => {
    const { namespace, language } = catalogueOf(path)
    return [`${language}/${namespace}`, load]
  }),
)

const lazyCatalogues: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, done) => {
    const load = loaders.get(`${language}/${namespace}`)
    if (!load) return done(new Error(`no catalogue ${language}/${namespace}`), null)
    load().then(
      ({ texts }) => done(null, texts),
      (error: Error) => done(error, null),
    )
  },
}

/** Letters that run from right to left: Hebrew, Arabic and what is written like them. */
const from_the_right = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** A name that runs the other way is set apart, so that the words around it keep their places. */
const setApart = (name: string): string => (from_the_right.test(name) ? `\u2068${name}\u2069` : name)

const numberFormatOf = kept((language: Language) => new Intl.NumberFormat(localeOf[language]))
/** A number in a sentence is written as its language writes numbers, a name in the direction of its own. */
const values: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _format, language) =>
    typeof value === 'number' ? numberFormatOf(language as Language).format(value) : setApart(String(value)),
}

export async function startTexts(): Promise<void> {
  const { language } = sessionState()
  await i18next
    .use(lazyCatalogues)
    .use(values)
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: ['en', 'vi', 'zh-cn'],
      lowerCaseLng: true,
      load: 'currentOnly',
      fallbackLng: false,
      ns: ['common'],
      defaultNS: 'common',
      keySeparator: '.',
      interpolation: { escapeValue: false, alwaysFormat: true },
      react: { useSuspense: true },
    })
  announce()
  // The change of language waits for its catalogues, so nothing is ever shown in two languages.
  useSessionStore.subscribe((now, before) => {
    if (now.language !== before.language) void i18next.changeLanguage(now.language).then(announce)
  })
}

function announce(): void {
  document.documentElement.lang = localeOf[sessionState().language]
}

export const loadTexts = (namespaces: readonly Namespace[]): Promise<void> => i18next.loadNamespaces([...namespaces])
