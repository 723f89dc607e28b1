/** Beyond this a device's clock is off. */
export const clock_tolerance_ms = 5 * 60_000
/** Half a year, by which what devices say is kept; never longer than the oldest partition. */
export const device_data_ms = 180 * 86_400_000

/**
 * Server receive time decides; device time is kept beside it. A clock that runs ahead is not believed at all, one that
 * is behind may be a report that waited on the device, so it stays as it is down to half a year.
 */
export function clampDeviceTime(said: string, received: Date): { at: Date; is_off: boolean } {
  const ms = Date.parse(said)
  const ahead = ms - received.getTime()
  const is_off = !(Math.abs(ahead) <= clock_tolerance_ms)
  if (Number.isNaN(ms) || ahead > clock_tolerance_ms) return { at: received, is_off }
  if (-ahead > device_data_ms) return { at: new Date(received.getTime() - device_data_ms), is_off }
  return { at: new Date(ms), is_off }
}

/** Whether a device speaks of what is still to come. */
export const isAhead = (said: string, received: Date): boolean =>
  Date.parse(said) - received.getTime() > clock_tolerance_ms

/** What the device said, as far as a timestamp column holds it: only ever compared with what it says next. */
export function rawDeviceTime(said: string): Date {
  const ms = Date.parse(said)
  return new Date(Math.min(Math.max(Number.isNaN(ms) ? 0 : ms, 0), Date.UTC(9999, 11, 31)))
}
