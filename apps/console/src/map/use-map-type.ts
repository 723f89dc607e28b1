import { useEffect } from 'react'
import { mapTypes } from '@mdm/contract'
import { api, send } from '../core/api.ts'
import { notify } from '../core/notices.ts'
import { useSessionStore } from '../core/session-store.ts'
import { refreshSession, useSession } from '../core/session.tsx'
import type { MapType } from './surfaces.ts'

const save = (map_type: MapType) => send(api.account.save_preferences, { map_type }).then(refreshSession)

/** The person's kind of map. The default is kept as soon as a map is looked at (specification, 9). */
export function useMapType(): [MapType, (type: MapType) => void] {
  const { map_type } = useSession()
  const language = useSessionStore((s) => s.language)
  const type = map_type ?? (language === 'zh-cn' ? mapTypes.baidu : mapTypes.open_street_map)
  const is_unset = map_type === null
  useEffect(() => {
    // A map is shown either way: that it could not be kept is no news.
    if (is_unset) save(type).catch(() => undefined)
  }, [is_unset, type])
  return [type, (chosen) => void save(chosen).catch(notify.fail)]
}
