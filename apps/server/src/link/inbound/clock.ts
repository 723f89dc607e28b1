/** Beyond this a device's clock is off. */
export const clock_tolerance_ms = 5 * 60_000
/** Half a year, by which what devices say is kept; never longer than the oldest partition. */
export const device_data_ms = 180 * 86_400_000

/**
 * Server receive time decides; device time is kept beside it. A clock that runs ahead is not believed at all, nor one
 * that is more than half a year behind: no report waits that long, but a clock without a battery begins at 1970 or 2000.
 * Between the two it may be a report that waited on the device, so it stays as it is.
 */
export function clampDeviceTime(said: string, received: Date): { at: Date; is_off: boolean } {
  const at = new Date(Date.parse(said))
  if (!isBelievable(said, received)) return { at: received, is_off: true }
  return { at, is_off: Math.abs(at.getTime() - received.getTime()) > clock_tolerance_ms }
}

/** Whether what a device dates so can have been then. */
export function isBelievable(said: string, received: Date): boolean {
  const ahead = Date.parse(said) - received.getTime()
  return ahead <= clock_tolerance_ms && -ahead <= device_data_ms
}

/** What the device said, as far as a timestamp column holds it: only ever compared with what it says next. */
export function rawDeviceTime(said: string): Date {
  const ms = Date.parse(said)
  return new Date(Math.min(Math.max(Number.isNaN(ms) ? 0 : ms, 0), Date.UTC(9999, 11, 31)))
}
