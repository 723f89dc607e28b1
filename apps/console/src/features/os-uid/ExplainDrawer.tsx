import { Input } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { uid_length } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Code } from '../../ui/value/values.tsx'
import { DeviceCount } from './DeviceCount.tsx'
import { partsOf, UidParts } from './UidParts.tsx'

/** Takes a UID apart that somebody pasted: what each part means, and whether there is such a UID. */
export function ExplainDrawer({ of = '', onClose }: { of?: string; onClose: () => void }) {
  const { t } = useTranslation('os-uid')
  const [text, setText] = useState(of)
  const uid = useDeferredValue(text.trim())
  const query = useCall(api.opsUid.explain, { uid }, { enabled: uid !== '', keepPrevious: true })
  const found = uid === '' ? undefined : query.data
  return (
    <Drawer className="form-drawer" size={640} title={t('explain.title')} onClose={onClose}>
      <label htmlFor="uid-to-explain">{t('explain.label')}</label>
      <Input
        id="uid-to-explain"
        classNames={{ input: 'code' }}
        autoFocus
        allowClear
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div role="status" className="uid-explained">
        {query.error && uid !== '' && <Failure error={query.error} is_line />}
        {found && !found.is_whole && <p>{t('explain.not_whole', { length: uid_length, count: uid.length })}</p>}
        {found?.is_whole && <UidParts parts={partsOf(found.parts)} unknown={t('unknown_code')} />}
        {found?.uid && (
          <p>
            <strong dir="auto">{found.uid.display_name}</strong>{' '}
            <StateBadge tone="quiet">{t(`type.${found.uid.type}`)}</StateBadge>{' '}
            <May needs="uidListUidListEdit">
              <Link to={link.uidListUidListEdit.to({ kid: found.uid.kid })}>{t('explain.open')}</Link>
            </May>
          </p>
        )}
        {found?.uid?.base_uid_code && (
          <p>
            {t('base_uid')}: <Code value={found.uid.base_uid_code} />, <Code value={found.uid.base_os_version} />
          </p>
        )}
        {found && !found.uid && <p>{t('explain.none')}</p>}
        {found && (
          <p>
            {t('column.devices')}: <DeviceCount count={found.terminal_count} />
          </p>
        )}
      </div>
    </Drawer>
  )
}
