import type { ConfigProviderProps } from 'antd'
import type { Language } from '@mdm/contract'

type Locale = NonNullable<ConfigProviderProps['locale']>
const loaders: Record<Language, () => Promise<Locale>> = {
  en: () => import('antd/locale/en_US').then((m) => m.default),
  vi: () => Promise.all([import('antd/locale/vi_VN'), import('dayjs/locale/vi')]).then(([m]) => m.default),
  'zh-cn': () => Promise.all([import('antd/locale/zh_CN'), import('dayjs/locale/zh-cn')]).then(([m]) => m.default),
}
const loaded: Partial<Record<Language, Locale>> = {}

/** antd's own texts: names of its buttons, dates, pages of a table. */
export const loadAntdLocale = async (language: Language): Promise<Locale> =>
  (loaded[language] ??= await loaders[language]())

/** Never nothing: antd would put another layer around the whole console once they come, and so mount it anew. */
export const loadedAntdLocale = (language: Language): Locale => loaded[language] ?? { locale: 'en' }
