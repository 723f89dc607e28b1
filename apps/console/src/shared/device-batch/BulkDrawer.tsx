import { DownloadOutlined, MobileOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { batch_limits } from '@mdm/contract'
import type { BatchJob } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { CallFailed } from '../../core/call-failed.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { AnnouncedSheet } from './AnnouncedSheet.tsx'
import { BulkJobs } from './BulkJobs.tsx'
import { BulkPreview } from './BulkPreview.tsx'
import { BulkResult } from './BulkResult.tsx'
import { watch } from './bulk-watch.ts'
import './bulk.css'
import { Save } from './Save.tsx'
import { SheetChoice } from './SheetChoice.tsx'
import type { BulkSide, Preview, StartTarget } from './sides.ts'

type Props = {
  side: BulkSide
  title: string
  /** Group that is chosen at first, where there is a choice. */
  group?: string | undefined
  /** Above the choice of a sheet. */
  children?: ReactNode
  onClose: () => void
}

/** Many devices at once: choose a sheet, look at what would become of every row, start. Earlier sheets stand below. */
export function BulkDrawer({ side, title, group = 'NO_GROUP', children, onClose }: Props) {
  const { t } = useTranslation('device-batch')
  const { texts } = side
  const jobs = useCall(side.jobs.call, side.jobs.input)
  const all = (jobs.data ?? []) as BatchJob[]
  const [checked, setChecked] = useState<{ preview: Preview; name: string } | null>(null)
  const [error, setError] = useState<CallFailed | null>(null)
  const [is_starting, setStarting] = useState(false)
  const [shown, setShown] = useState<string | null>(null)
  const shown_job = all.find(({ schedule_version }) => schedule_version === shown)
  const [is_announced, setAnnounced] = useState(false)
  const running = all.find(({ state }) => state === 'running')
  useEffect(() => {
    if (running) watch(side, running)
  }, [running, side])

  const start = async (rows: Preview['rows'], to: StartTarget) => {
    setError(null)
    setStarting(true)
    try {
      const schedule_version = crypto.randomUUID()
      // Rows with problems too: the result has a message for every row, and its failed rows are the sheet to correct.
      const reply = await side.start(rows, schedule_version, to)
      // The job goes on by itself, and its result can be had at any time.
      void reply.body?.cancel()
      setChecked(null)
      await jobs.refetch()
      setShown(schedule_version)
      watch(side, { schedule_version })
    } catch (reason) {
      if (!(reason instanceof CallFailed)) throw reason
      setError(reason)
    } finally {
      setStarting(false)
    }
  }
  return (
    <Drawer
      rootClassName="bulk-drawer"
      className="form-drawer"
      size={checked || shown_job ? 960 : 640}
      title={title}
      onClose={onClose}
    >
      {error && <Failure error={error} is_line />}
      {checked ? (
        <BulkPreview
          side={side}
          {...checked}
          group={group}
          disabled_reason={running && t('blocked')}
          is_starting={is_starting}
          onStart={(rows, to) => void start(rows, to)}
          onAnother={() => setChecked(null)}
        />
      ) : shown_job ? (
        <BulkResult key={shown} side={side} job={shown_job} onBack={() => setShown(null)} />
      ) : (
        <>
          {children}
          <p className="dim bulk-hint">{t(`${texts}.hint`)}</p>
          <div className="bulk-files">
            <Save icon={<DownloadOutlined aria-hidden />} save={side.template}>
              {t('template')}
            </Save>
            {side.announced && (
              <Button icon={<MobileOutlined aria-hidden />} onClick={() => setAnnounced(true)}>
                {t('announced')}
              </Button>
            )}
          </div>
          {is_announced && side.announced && (
            <AnnouncedSheet save={side.announced} onClose={() => setAnnounced(false)} />
          )}
          <SheetChoice
            rows_max={batch_limits.rows}
            bytes_max={batch_limits.sheet_bytes}
            preview={(upload_kid) => side.preview({ upload_kid })}
            onChecked={(preview, name) => setChecked({ preview, name })}
          />
          {jobs.error && <Failure error={jobs.error} retry={() => void jobs.refetch()} />}
          <BulkJobs side={side} jobs={all} onShow={(job) => setShown(job.schedule_version)} />
        </>
      )}
    </Drawer>
  )
}
