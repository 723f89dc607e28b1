import { CaretRightOutlined, DeleteOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { RemoteSession } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { Properties } from '../../../ui/DetailPage.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { Bytes, Code, DateTime, Duration } from '../../../ui/value/values.tsx'
import { secondsOf, SessionState } from './columns.tsx'
import { mayEnd } from './may-end.ts'

const Player = lazy(() => import('../player/Player.tsx'))
type RecordingRow = RemoteSession['recordings'][number]

type Props = { kid: string; row: RemoteSession | undefined; onClose: () => void }

/** One session: who looked, until when, and what was recorded. */
export function SessionDrawer({ kid, row, onClose }: Props) {
  const { t } = useTranslation('remote')
  const query = useCall(api.terminalRemote.get, { session_kid: kid })
  const session = query.data ?? row
  const end = useWrite(api.terminalRemote.end, { done: ({ ended }) => t('ended', { count: ended }) })
  return (
    <Drawer
      size={760}
      title={session ? t('details_of', { name: session.sn }) : t('details')}
      extra={
        session?.ended_at === null &&
        mayEnd(session) && (
          <Button danger loading={end.isPending} onClick={() => void end.run({ kids: [kid] })}>
            {t('end')}
          </Button>
        )
      }
      onClose={onClose}
    >
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={session !== undefined} />}
      {!session && query.isPending && <Skeleton active />}
      {session && <Session session={session} />}
    </Drawer>
  )
}

function Session({ session }: { session: RemoteSession }) {
  const { t } = useTranslation(['remote', 'common'])
  const may_open = useMay('deviceDetailRemote')
  return (
    <div className="remote-session">
      <Properties
        of={[
          {
            label: t('column.sn'),
            value: may_open ? (
              <Link to={link.deviceDetailRemote.to({ kid: session.terminal_kid })}>
                <Code value={session.sn} />
              </Link>
            ) : (
              <Code value={session.sn} />
            ),
          },
          { label: t('common:state'), value: <SessionState session={session} /> },
          { label: t('column.kind'), value: t(`kind.${session.kind}`) },
          { label: t('column.created_by'), value: session.created_by },
          { label: t('column.created_at'), value: <DateTime at={session.created_at} /> },
          {
            label: t(session.ended_at === null ? 'column.ends_at' : 'column.ended_at'),
            value: <DateTime at={session.ended_at ?? session.ends_at} />,
          },
          { label: t('column.duration'), value: <Duration seconds={secondsOf(session)} /> },
          { label: t('column.consent'), value: t(`consent.${session.consent}`) },
          { label: t('column.renewals'), value: session.terminal_policy_kid && String(session.renewals) },
        ]}
      />
      <h2>{t('column.viewers')}</h2>
      <ListTable
        rows={[...session.viewers]}
        columns={[
          { key: 'username', title: t('viewer.name'), render: (_, row) => <bdi>{row.username}</bdi> },
          { key: 'joined_at', title: t('viewer.joined_at'), render: (_, row) => <DateTime at={row.joined_at} /> },
          { key: 'left_at', title: t('viewer.left_at'), render: (_, row) => <DateTime at={row.left_at} /> },
          {
            key: 'has_control',
            title: t('viewer.role'),
            render: (_, row) => t(row.has_control ? 'people.controls' : 'people.watches'),
          },
        ]}
      />
      <h2>{t('column.recordings')}</h2>
      <Recordings session={session} />
    </div>
  )
}

function Recordings({ session }: { session: RemoteSession }) {
  const { t } = useTranslation(['remote', 'common'])
  const [playing, setPlaying] = useState<RecordingRow | null>(null)
  const [deleting, setDeleting] = useState<RecordingRow | null>(null)
  if (session.recordings.length === 0)
    return <p className="dim">{t(session.ended_at ? 'recordings.none' : 'recordings.none_yet')}</p>
  return (
    <>
      <ListTable
        rows={[...session.recordings]}
        nameOf={(row) => row.started_at}
        rowActions={(row) => [
          {
            needs: 'remoteSessionList:watch',
            icon: <CaretRightOutlined aria-hidden />,
            text: t('play'),
            label: t('play'),
            onSelect: () => setPlaying(row),
          },
          {
            needs: 'remoteSessionList:delete',
            icon: <DeleteOutlined aria-hidden />,
            label: t('delete.action'),
            onSelect: () => setDeleting(row),
          },
        ]}
        columns={[
          {
            key: 'started_at',
            title: t('recordings.started_at'),
            render: (_, row) => <DateTime at={row.started_at} />,
          },
          {
            key: 'seconds',
            title: t('column.duration'),
            align: 'right',
            render: (_, row) => <Duration seconds={row.seconds} />,
          },
          {
            key: 'bytes',
            title: t('recordings.size'),
            align: 'right',
            render: (_, row) => <Bytes value={row.bytes} />,
          },
        ]}
      />
      {playing && (
        <Suspense>
          <Player recording={playing} sn={session.sn} onClose={() => setPlaying(null)} />
        </Suspense>
      )}
      {deleting && (
        <ConfirmWrite
          call={api.terminalRemote.delete_recording}
          input={{ recording_kid: deleting.kid }}
          title={t('delete.title', { name: session.sn })}
          submit={t('delete.submit')}
          done={t('delete.done')}
          onClose={() => setDeleting(null)}
        >
          <p>{t('delete.what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}
