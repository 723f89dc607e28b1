import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import type { CustomerRow, DiskSpace } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { partOf } from '../../../shared/accounts/quota.ts'
import { UsageBar } from '../../../shared/device/DeviceParts.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Bytes } from '../../../ui/value/values.tsx'
import { BytesInput } from './BytesInput.tsx'

type Props = { customer: CustomerRow; onClose: () => void }
type Values = { file_disk: number; app_center: number }

/** What a customer may store, and what it does. */
export function SpaceDrawer({ customer, onClose }: Props) {
  const { t } = useTranslation('customer')
  const { kid, name } = customer
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
    const change = (space: DiskSpace, disk_space: number) => ({ kid: space.kid, account_kid_param: kid, disk_space })
    await saveFiles.mutateAsync(change(files as DiskSpace, values.file_disk))
    await saveApps.mutateAsync(change(apps as DiskSpace, values.app_center))
  }
  return (
    <FormDrawer<Values>
      // What is typed begins from what is there.
      key={files && apps ? 'known' : 'unknown'}
      title={t('space.title', { name })}
      submit={t('space.submit')}
      initial={files && apps ? { file_disk: files.disk_space, app_center: apps.disk_space } : {}}
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
      {files && <Part name="file_disk" title={t('space.file_disk')} of={files} />}
      {apps && <Part name="app_center" title={t('space.app_center')} of={apps} />}
    </FormDrawer>
  )
}

function Part({ name, title, of }: { name: keyof Values; title: string; of: DiskSpace }) {
  const { t } = useTranslation('customer')
  const count = useCount()
  const { used, disk_space, item_count } = of
  const below = (value: number | null) => value !== null && value < used
  return (
    <section className="space-part" aria-labelledby={`space-${name}`}>
      <h2 id={`space-${name}`}>
        {title}
        <span className="number">
          <Bytes value={used} />
          <span className="dim">
            {' / '}
            <Bytes value={disk_space} />
          </span>
        </span>
      </h2>
      <UsageBar part={partOf(used, disk_space)} label={t('space.used', { name: title })} />
      <Field
        name={name}
        label={t('space.size')}
        extra={t(`space.${name}_items`, { count: item_count, shown: count(item_count) })}
        rules={[
          { required: true, message: t('space.needed') },
          {
            validator: (_rule, value: number | null) =>
              below(value) ? Promise.reject(new Error(t('space.below_use'))) : Promise.resolve(),
          },
        ]}
      >
        <BytesInput label={title} />
      </Field>
    </section>
  )
}
