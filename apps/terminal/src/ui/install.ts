import { useEffect, useState } from 'react'

type InstallEvent = Event & { prompt(): Promise<unknown> }

/** Offers the page as an app, where the browser does; undefined where it does not. */
export function useInstall(): (() => void) | undefined {
  const [offered, setOffered] = useState<InstallEvent>()
  useEffect(() => {
    const keep = (event: Event) => {
      event.preventDefault()
      setOffered(event as InstallEvent)
    }
    const forget = () => setOffered(undefined)
    window.addEventListener('beforeinstallprompt', keep)
    window.addEventListener('appinstalled', forget)
    return () => {
      window.removeEventListener('beforeinstallprompt', keep)
      window.removeEventListener('appinstalled', forget)
    }
  }, [])
  return offered && (() => void offered.prompt().finally(() => setOffered(undefined)))
}
