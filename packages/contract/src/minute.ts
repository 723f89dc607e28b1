/** A minute as it is written in every language: 2026/11/24 22:00. */
export function minuteOf(at: string, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  } as const).formatToParts(new Date(at))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value
  return `${part('year')}/${part('month')}/${part('day')} ${part('hour')}:${part('minute')}`
}
