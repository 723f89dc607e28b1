import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import type { CustomerRow, DiskSpace } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { SpaceField, spaceOf } from '../../../shared/accounts/SpaceField.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { FormDrawer } from '../../../ui/form/form.tsx'

type Props = { customer: CustomerRow; onClose: () => void }
type Values = { file_disk: number | null; app_center: number | null }

/** What a customer may store, and what it does. */
export function SpaceDrawer({ customer, onClose }: Props) {
  const { t } = useTranslation('customer')
  const { kid, name } = customer
  const is_share = customer.type === 2
  const of = { account_kid_param: kid }
  const file_disk = useCall(api.opsFileDisk.get, of)
  const app_center = useCall(api.opsAppCenter.get, of)
  const also = ['ops/account', 'ops/content_report', 'ops/home']
  const saveFiles = useWrite(api.opsFileDisk.update_space, { also })
  const saveApps = useWrite(api.opsAppCenter.update_space, { also, done: t('space.done', { name }) })
  const error = file_disk.error ?? app_center.error
  const files = file_disk.data
  const apps = app_center.data
  const submit = async (values: Values) => {
    const change = (space: DiskSpace, disk_space: number | null) => ({
      kid: space.kid,
      account_kid_param: kid,
      ...(disk_space !== null && { disk_space }),
    })
    await saveFiles.mutateAsync(change(files as DiskSpace, values.file_disk))
    await saveApps.mutateAsync(change(apps as DiskSpace, values.app_center))
  }
  return (
    <FormDrawer<Values>
      // What is typed begins from what is there.
      key={files && apps ? 'known' : 'unknown'}
      title={t('space.title', { name })}
      submit={t('space.submit')}
      initial={files && apps ? { file_disk: spaceOf(files), app_center: spaceOf(apps) } : {}}
      loading={saveFiles.isPending || saveApps.isPending}
      submitError={saveFiles.error ?? saveApps.error}
      onSubmit={submit}
      onDone={onClose}
      onClose={onClose}
    >
      {error && (
        <Failure error={error} retry={() => Promise.all([file_disk.refetch(), app_center.refetch()])} is_line />
      )}
      {!error && !(files && apps) && <Skeleton active />}
      {files && <SpaceField name="file_disk" area="file_disk" of={files} is_share={is_share} />}
      {apps && <SpaceField name="app_center" area="app_center" of={apps} is_share={is_share} />}
    </FormDrawer>
  )
}
