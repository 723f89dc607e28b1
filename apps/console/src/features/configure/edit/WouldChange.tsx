import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import type { ConfigAffected, ConfigSection } from '@mdm/contract'
import { listText } from '../../../i18n/list-text.ts'
import { api, useCall } from '../../../core/api.ts'
import { Consequences } from '../../../ui/dialog/Consequences.tsx'
import type { ConfigPlace } from '../config-place.ts'
import { useSectionName } from '../section-name.ts'
import type { Draft } from './drafts.ts'

const shown_devices = 10

/** Some of the devices that a change reaches, how many more, and what becomes something else there. */
export function SomeDevices({ would }: { would: ConfigAffected }) {
  const { t } = useTranslation('configure/edit')
  const some = would.items.slice(0, shown_devices).map(({ sn }) => sn)
  const more = would.devices - some.length
  const sectionName = useSectionName()
  return (
    <>
      <p className="config-devices">
        {listText(some)}
        {more > 0 && ` ${t('affected.more', { count: more })}`}
      </p>
      {would.sections.length > 0 && (
        <p className="dim">{t('affected.what', { sections: listText(would.sections.map(sectionName)) })}</p>
      )}
    </>
  )
}

type What = Draft & { resets?: ConfigSection[]; change_kid?: string }
/** Which devices a change of a level, or a way back, would change. */
export function useWouldChange(place: ConfigPlace, what: What) {
  const is_platform = place.ltscope === ltscopes.platform
  const of_account = useCall(api.terminalConfig.affected, { ...place, ...what } as never, {
    enabled: !is_platform,
    fresh: true,
  })
  const of_platform = useCall(api.opsTerminalConfig.affected, what as never, { enabled: is_platform, fresh: true })
  return is_platform ? of_platform : of_account
}

/** Before it is done: which devices it changes, and how many. */
export function WouldChange({ of }: { of: ReturnType<typeof useWouldChange> }) {
  const { t } = useTranslation('configure/edit')
  return (
    <Consequences of={of} rows={5}>
      {(would) =>
        would.devices === 0 ? (
          <p>{t('affected.none')}</p>
        ) : (
          <>
            <p>{t('affected.says', { count: would.devices })}</p>
            <SomeDevices would={would} />
          </>
        )
      }
    </Consequences>
  )
}
