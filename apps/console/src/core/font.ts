import { useSessionStore } from './session-store.ts'

/** Late, it is not waited for. */
const late_ms = 500

/** The console's own font, in what the language needs of it: text that is drawn before moves when it comes. */
export async function fontLoaded(): Promise<void> {
  const letters = useSessionStore.getState().language === 'vi' ? 'aế' : 'a'
  const loaded = document.fonts.load("1em 'Hanken Grotesk'", letters)
  await Promise.race([loaded.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, late_ms))])
}
