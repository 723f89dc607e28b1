import type { ClientCode } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { translate } from '../../i18n/translate.ts'
import { simpleResource } from '../../ui/simple-resource/simple-resource.tsx'

export const resource = simpleResource<ClientCode>({
  pages: { list: 'informationListClientCode', add: 'clientCodeAdd', edit: 'clientCodeEdit' },
  delete: 'informationListClientCode:delete',
  namespace: 'client-code',
  calls: api.opsClientCode,
  naming: 'code',
  fields: () => [
    {
      name: 'code',
      kind: 'code',
      label: translate('client-code:code'),
      hint: translate('client-code:code_hint'),
      is_sortable: true,
    },
    { name: 'name', kind: 'text', label: translate('client-code:name'), is_sortable: true },
    { name: 'remark', kind: 'textarea', label: translate('client-code:remark') },
    { name: 'created_at', kind: 'date', label: translate('common:created_at'), is_read_only: true },
    { name: 'updated_at', kind: 'date', label: translate('common:updated_at'), is_read_only: true, is_sortable: true },
  ],
})
