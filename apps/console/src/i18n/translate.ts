import i18next from 'i18next'

/** A sentence for code outside React. Inside it, `useTranslation` follows a change of language by itself. */
export const translate: typeof i18next.t = ((...args: Parameters<typeof i18next.t>) => i18next.t(...args)) as never
