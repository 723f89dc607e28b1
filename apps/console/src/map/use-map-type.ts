import { useEffect } from 'react'
import { mapTypes } from '@mdm/contract'
import { useAccountDefaults } from '../core/account-defaults.ts'
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
  const of_account = useAccountDefaults((s) => s.map_type)
  const type = map_type ?? of_account ?? (language === 'zh-cn' ? mapTypes.baidu : mapTypes.open_street_map)
  // The account's stays the account's: it may set another one.
  const is_unset = map_type === null && of_account === null
  useEffect(() => {
    // A map is shown either way: that it could not be kept is no news.
    if (is_unset) save(type).catch(() => undefined)
  }, [is_unset, type])
  return [type, (chosen) => void save(chosen).catch(notify.fail)]
}
