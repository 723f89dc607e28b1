import { MailOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AnyCall } from '../../core/api.ts'
import type { TimeFilter } from './filters.tsx'
import { fileColumns, rowFields } from './list-export.ts'
import type { Column } from './ListPage.tsx'

// Most visits to a list need no report.
const ReportDrawer = lazy(() => import('./report/ReportDrawer.tsx'))

type Props<R> = {
  list: { call: AnyCall; input: Record<string, unknown> }
  title: string
  filter: string
  time: TimeFilter | undefined
  columns: readonly Column<R>[]
}

/** Has the list mailed as a file again and again, as it is filtered now. */
export function ReportButton<R>({ columns: shown, ...props }: Props<R>) {
  const { t } = useTranslation('common')
  const [is_open, setOpen] = useState(false)
  const columns = fileColumns(shown, rowFields(props.list.call))
  if (columns.length === 0) return null
  return (
    <>
      <Button
        type="text"
        icon={<MailOutlined aria-hidden />}
        aria-label={t('list.report')}
        title={t('list.report')}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {is_open && (
        <Suspense>
          <ReportDrawer {...props} columns={columns} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
