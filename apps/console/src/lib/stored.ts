/**
 * What the browser remembers. Storage may be missing or full (private windows, managed browsers); then the
 * console works and only forgets.
 */
type Place = 'local' | 'session'
const storageOf = (place: Place): Storage | undefined => {
  try {
    return place === 'local' ? globalThis.localStorage : globalThis.sessionStorage
  } catch {
    return undefined
  }
}

export function readStored(place: Place, name: string): string | null {
  try {
    return storageOf(place)?.getItem(`mdm.${name}`) ?? null
  } catch {
    return null
  }
}

export function writeStored(place: Place, name: string, value: string | null): void {
  try {
    if (value === null) storageOf(place)?.removeItem(`mdm.${name}`)
    else storageOf(place)?.setItem(`mdm.${name}`, value)
  } catch {
    // Forgetting is all that is lost.
  }
}

/** JSON of a known shape; anything unreadable or refused by `check` counts as absent. */
export function readStoredJson<T>(place: Place, name: string, check: (value: unknown) => value is T): T | null {
  const text = readStored(place, name)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return check(value) ? value : null
  } catch {
    return null
  }
}
