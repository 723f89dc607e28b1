import i18next from 'i18next'

/**
 * A sentence for code outside React. Inside it, `useTranslation` follows a change of language by itself. The arguments
 * are typed where it is called; to spell them out here as well takes the compiler seconds.
 */
export const translate: typeof i18next.t = ((...args: unknown[]) => Reflect.apply(i18next.t, i18next, args)) as never
