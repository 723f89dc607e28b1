import { lazy, Suspense } from 'react'
import { api, useCall } from '../core/api.ts'
import { isOutside, useMay, useSession } from '../core/session.tsx'

// Most days nothing waits.
const ScrapWatch = lazy(() => import('../shared/device-scrap/ScrapWatch.tsx').then((m) => ({ default: m.ScrapWatch })))

/** Devices of the account that wait to be scrapped stand in the tray, on every screen and whoever asked for it. */
export function Scraps() {
  const enabled = useMay('deviceList') && !isOutside(useSession())
  const { data } = useCall(api.terminalScrap.list_scrap_schedule, {}, { enabled })
  const waiting = data?.filter(({ state }) => state === 'waiting') ?? []
  if (waiting.length === 0) return null
  return (
    <Suspense>
      {waiting.map((schedule) => (
        <ScrapWatch key={schedule.schedule_version} schedule={schedule} />
      ))}
    </Suspense>
  )
}
