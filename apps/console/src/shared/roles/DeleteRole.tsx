import { useTranslation } from 'react-i18next'
import type { Role } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { roleSides } from './sides.ts'
import type { RoleSide } from './sides.ts'

export function DeleteRole({ side, role, onClose }: { side: RoleSide; role: Role; onClose: () => void }) {
  const { t } = useTranslation('roles')
  const remove = useWrite(roleSides[side].calls.delete, { done: t('deleted'), onSuccess: onClose })
  return (
    <ConfirmDanger
      title={t('delete_title', { name: role.name })}
      submit={t('delete_submit')}
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={() => remove.mutateAsync({ kid: role.kid })}
      onClose={onClose}
    >
      <p>{t('delete_text')}</p>
    </ConfirmDanger>
  )
}
