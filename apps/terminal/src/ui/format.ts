const steps = ['B', 'KB', 'MB', 'GB'] as const

export function bytesText(bytes: number, language: string): string {
  let step = 0
  let shown = bytes
  for (; shown >= 1024 && step < steps.length - 1; step += 1) shown /= 1024
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(shown)} ${steps[step]}`
}

export const timeText = (at: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))
