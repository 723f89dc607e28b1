import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { useCall } from '../../core/api.ts'
import type { api } from '../../core/api.ts'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { CodeBlock } from '../../ui/value/CodeBlock.tsx'
import { Properties } from '../../ui/DetailPage.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Bytes, CopyId, DateTime, Unit } from '../../ui/value/values.tsx'
import type { LogCalls } from './OperationLog.tsx'
import { ObjectName } from './objects.tsx'
import { ResultBadge, Who } from './parts.tsx'

type Detail = Out<typeof api.operationLog.get>

/** One operation with everything that is known of it. What came from outside is shown as text, never as markup. */
export function OperationDrawer({ kid, calls, onClose }: { kid: string; calls: LogCalls; onClose: () => void }) {
  const { t } = useTranslation('operation-log')
  const query = useCall(calls.get, { kid })
  const log = query.data
  return (
    <Drawer
      size={760}
      title={log ? `${log.module_name}: ${log.action_name}` : t('operation')}
      extra={log && <ResultBadge result={log.result} />}
      onClose={onClose}
    >
      {query.error && <Failure error={query.error} retry={query.refetch} />}
      {query.isPending && <Skeleton active paragraph={{ rows: 8 }} />}
      {log && <Parts log={log} />}
    </Drawer>
  )
}

function Parts({ log }: { log: Detail }) {
  const { t } = useTranslation('operation-log')
  const count = useCount()
  const { client, request, response, tracks } = log
  const version = client.version ?? client.major_version
  return (
    <div className="log-detail">
      <Properties
        of={[
          { label: t('time'), value: <DateTime at={log.created_at} /> },
          { label: t('duration'), value: <Unit value={count(log.duration_ms)} unit="ms" /> },
          {
            label: t('operator'),
            value: (
              <span className="log-operator">
                <img src={log.operator_picture} alt="" width={28} height={28} />
                <Who name={log.operator_name} username={log.operator_username} />
              </span>
            ),
          },
          { label: t('account'), value: log.account_name },
          { label: t('operator_account'), value: log.operator_enterprise_name },
          { label: t('result'), value: t('code', { result: log.result }) },
          { label: t('codes'), value: <code>{`${log.module_code}/${log.action_code}`}</code> },
          { label: t('message'), value: log.message, is_wide: true },
          { label: t('detail'), value: log.detail && <span className="log-words">{log.detail}</span>, is_wide: true },
          { label: t('remark'), value: log.remark, is_wide: true },
          { label: t('id'), value: <CopyId value={log.kid} />, is_wide: true },
        ]}
      />
      <Part title={t('client')}>
        <Properties
          of={[
            { label: t('ip'), value: client.ip },
            { label: t('os'), value: client.os },
            { label: t('browser'), value: [client.name, version].filter(Boolean).join(' ') },
            { label: t('client_time'), value: client.timestamp && <DateTime at={instantOf(client.timestamp)} /> },
            {
              label: t('access'),
              value: listText([client.access_type, client.access_mode, client.access_target]),
              is_wide: true,
            },
          ]}
        />
      </Part>
      <Part title={t('request')}>
        <Properties
          of={[
            { label: t('address'), value: <code>{`${request.method} ${request.url}`}</code>, is_wide: true },
            { label: t('content_type'), value: request.content_type },
            { label: t('length'), value: <Bytes value={request.length} /> },
          ]}
        />
        <Content label={t('request')} text={request.content} />
      </Part>
      <Part title={t('response')}>
        <Content label={t('response')} text={response.content} />
      </Part>
      <Part title={t('tracks')}>
        {tracks.length === 0 ? (
          <p className="dim">{t('tracks_none')}</p>
        ) : (
          <table className="log-tracks">
            <thead>
              <tr>
                <th scope="col">{t('object')}</th>
                <th scope="col">{t('track_change')}</th>
                <th scope="col">{t('id')}</th>
              </tr>
            </thead>
            <tbody>
              {tracks.map((track, at) => (
                <tr key={at}>
                  <td>
                    {track.name && <span className="dim">{track.table_name} </span>}
                    <ObjectName object={track} account_kid={log.account_kid} />
                  </td>
                  <td>{track.change}</td>
                  <td>
                    <CopyId value={track.kid} short={8} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Part>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Content({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation('operation-log')
  if (!text) return <p className="dim">{t('content_none')}</p>
  return <CodeBlock label={t('content_of', { part: label })} text={text} />
}

/** The client's own clock, in milliseconds or as an instant. */
const instantOf = (timestamp: string): string | null => {
  const at = new Date(/^\d+$/.test(timestamp) ? Number(timestamp) : timestamp)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
