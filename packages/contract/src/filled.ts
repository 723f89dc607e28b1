type Details = Record<string, string | number>

/**
 * A text with its holes filled: `{name}` by what it is called, `{count?device:devices}` by the first word for 1 and by the second
 * for any other number. A hole of which nothing is said stays.
 */
export const filled = (text: string, details: Details): string =>
  text.replace(/\{(\w+)(?:\?([^:{}]*):([^{}]*))?\}/g, (whole, key: string, one?: string, other?: string) => {
    const value = details[key]
    if (value === undefined) return whole
    if (one === undefined || other === undefined) return String(value)
    return Number(value) === 1 ? one : other
  })
