import { ImportOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { InformationKey } from '@mdm/contract'
import { May } from '../../core/session.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'

const ImportDrawer = lazy(() => import('./ImportDrawer.tsx').then((m) => ({ default: m.ImportDrawer })))

/** Opens the import of a sheet, for whom may add rows. */
export function ImportButton({ of }: { of: InformationKey }) {
  const { t } = useTranslation('os-information')
  const needs = `${of}Add` as const
  const dialog = useDialog({ import: needs }, [])
  return (
    <May needs={needs}>
      <Button icon={<ImportOutlined aria-hidden />} onClick={() => dialog.open('import')}>
        {t('import.button')}
      </Button>
      {dialog.is('import') && (
        <Suspense>
          <ImportDrawer of={of} onClose={dialog.close} />
        </Suspense>
      )}
    </May>
  )
}
