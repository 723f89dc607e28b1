import { CopyOutlined, DownloadOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { Activation } from '@mdm/contract'
import { api, download, useCall } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { listText } from '../../i18n/list-text.ts'
import { Properties } from '../../ui/DetailPage.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { copyText, CopyId, DateTime } from '../../ui/value/values.tsx'
import { ActivationBadge } from './badges.tsx'
import './private-deployment.css'

/** Everything about one activation, with what its server is given. */
export function ActivationDrawer({ kid, name, onClose }: { kid: string; name: string; onClose: () => void }) {
  const { data, error, isPending, refetch } = useCall(api.opsActivation.get, { kid })
  const key = useCall(api.opsActivation.public_key, {})
  return (
    <Drawer
      size={760}
      title={name}
      extra={data && <ActivationBadge state={data.state} fault={data.fault} />}
      onClose={onClose}
    >
      {error && <Failure error={error} retry={refetch} />}
      {isPending && <Skeleton active paragraph={{ rows: 8 }} />}
      {data && <Details of={data} public_key={key.data?.key} />}
    </Drawer>
  )
}

function Details({ of, public_key }: { of: Activation; public_key: string | undefined }) {
  const { t } = useTranslation('private-deployment')
  const count = useCount()
  const [is_loading, setLoading] = useState(false)
  const copy = () =>
    copyText(of.code).then(
      () => notify.ok(t('code.copied')),
      () => notify.fail(new Error(t('code.copy_failed'))),
    )
  const save = async () => {
    setLoading(true)
    await download(api.opsActivation.code_file, { kid: of.kid }).catch(notify.fail)
    setLoading(false)
  }
  return (
    <div className="activation-detail">
      {of.fault && (
        <p className="activation-note" data-tone="bad" role="status">
          {t(`fault.${of.fault}`)}
        </p>
      )}
      {of.state === 'activating' && (
        <p className="activation-note" role="status">
          {t('state_hint')}
        </p>
      )}
      <Properties
        of={[
          { label: t('max_accounts'), value: count(of.max_accounts) },
          {
            label: t('max_devices'),
            value: of.max_devices >= constants.unlimited_devices ? t('unlimited') : count(of.max_devices),
          },
          { label: t('starts'), value: <DateTime at={of.starts_at} /> },
          { label: t('ends'), value: <DateTime at={of.ends_at} /> },
          { label: t('reported'), value: <DateTime at={of.reported_at} /> },
          { label: t('issue_number'), value: count(of.issue) },
          {
            label: t('macs'),
            value: of.macs.length > 0 ? <span className="code">{listText(of.macs)}</span> : t('any_machine'),
            is_wide: true,
          },
          { label: t('created_by'), value: of.created_by },
          { label: t('created'), value: <DateTime at={of.created_at} /> },
          { label: t('remark'), value: of.remark, is_wide: true },
        ]}
      />
      <section>
        <header className="activation-head">
          <h3>{t('code.title')}</h3>
          <Button icon={<CopyOutlined aria-hidden />} onClick={() => void copy()}>
            {t('code.copy')}
          </Button>
          <Button icon={<DownloadOutlined aria-hidden />} loading={is_loading} onClick={() => void save()}>
            {t('code.download')}
          </Button>
        </header>
        <p className="dim">{t('code.hint')}</p>
        <code className="activation-code" tabIndex={0} role="region" aria-label={t('code.title')}>
          {of.code}
        </code>
      </section>
      <section>
        <h3>{t('key.title')}</h3>
        <p className="dim">{t('key.hint')}</p>
        <CopyId value={public_key} />
      </section>
    </div>
  )
}
