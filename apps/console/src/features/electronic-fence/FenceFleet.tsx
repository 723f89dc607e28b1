import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, send } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { May } from '../../core/session.tsx'
import type { Place } from '../../map/coordinates.ts'
import { DeviceSelect } from '../../shared/device/DeviceSelect.tsx'

/** Puts the fence around where a device is. */
export function FenceFleet({ onFind }: { onFind: (at: Place) => void }) {
  const { t } = useTranslation('electronic-fence')
  const [chosen, setChosen] = useState<string | null>(null)
  const look = async (terminal_kid: string) => {
    setChosen(terminal_kid)
    try {
      const { position } = await send(api.terminalLocation.get, { terminal_kid })
      if (position) onFind(position)
      else notify.info(t('form.device_nowhere'))
    } catch (error) {
      notify.fail(error)
    }
  }
  return (
    <May needs="deviceDetailLocation">
      <DeviceSelect label={t('form.around_device')} value={chosen} onChange={(kid) => void look(kid)} />
    </May>
  )
}
