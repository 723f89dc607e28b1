/**
 * What the browser remembers. Storage may be missing or full (private windows, managed browsers); then the
 * console works and only forgets.
 */
type Place = 'local' | 'session'
const store = (place: Place): Storage | undefined => {
  try {
    return place === 'local' ? globalThis.localStorage : globalThis.sessionStorage
  } catch {
    return undefined
  }
}

export function kept(place: Place, name: string): string | null {
  try {
    return store(place)?.getItem(`mdm.${name}`) ?? null
  } catch {
    return null
  }
}

export function keep(place: Place, name: string, value: string | null): void {
  try {
    if (value === null) store(place)?.removeItem(`mdm.${name}`)
    else store(place)?.setItem(`mdm.${name}`, value)
  } catch {
    // Forgetting is all that is lost.
  }
}

/** JSON of a known shape; anything unreadable or refused by `check` counts as absent. */
export function keptJson<T>(place: Place, name: string, check: (value: unknown) => value is T): T | null {
  const text = kept(place, name)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return check(value) ? value : null
  } catch {
    return null
  }
}
