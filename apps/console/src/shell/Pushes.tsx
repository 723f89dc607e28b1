import { lazy, Suspense } from 'react'
import { api, useCall } from '../core/api.ts'
import { isOutside, useMay, useSession } from '../core/session.tsx'

// Most are created in a moment.
const PushWatch = lazy(() => import('../shared/push/watch/PushWatch.tsx').then((m) => ({ default: m.PushWatch })))

/** Pushes of the account that are being created stand in the tray, on every screen and whoever pushed. */
export function Pushes() {
  const is_outside = isOutside(useSession())
  const enabled = useMay('pushTaskList') && !is_outside
  const { data } = useCall(api.pushTask.paging, { phases: ['creating'], page_size: 10 }, { enabled })
  const creating = data?.items ?? []
  if (creating.length === 0) return null
  return (
    <Suspense>
      {creating.map((task) => (
        <PushWatch key={task.kid} task={task} />
      ))}
    </Suspense>
  )
}
