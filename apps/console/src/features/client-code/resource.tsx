import type { ClientCode } from '@mdm/contract'
import { api } from '../../api.ts'
import { say } from '../../i18n/say.ts'
import { simpleResource } from '../../screen/simple-resource.tsx'
import { screenIcon } from '../../shell/icons.tsx'
import { clientCodeAdd, clientCodeEdit, informationListClientCode } from './screens.ts'

export const clientCode = simpleResource<ClientCode>({
  id: 'client-code-list',
  icon: screenIcon('informationListClientCode'),
  namespace: 'client-code',
  calls: api.opsClientCode,
  needs: { delete: 'informationListClientCode:delete' },
  screens: { list: informationListClientCode, add: clientCodeAdd, edit: clientCodeEdit },
  naming: 'code',
  texts: () => ({
    title: say('client-code:title'),
    search: say('client-code:search'),
    empty: say('client-code:empty'),
    empty_hint: say('client-code:empty_hint'),
    add: say('client-code:add'),
    save: say('client-code:save'),
    edit_title: say('client-code:edit_title'),
    added: say('client-code:added'),
    saved: say('client-code:saved'),
    deleted: say('client-code:deleted'),
    delete_title: (name) => say('client-code:delete_title', { name }),
    delete: say('client-code:delete'),
  }),
  fields: () => [
    {
      name: 'code',
      kind: 'code',
      label: say('client-code:code'),
      hint: say('client-code:code_hint'),
      is_sortable: true,
    },
    { name: 'name', kind: 'text', label: say('client-code:name'), is_sortable: true },
    { name: 'remark', kind: 'textarea', label: say('client-code:remark') },
    { name: 'created_at', kind: 'date', label: say('common:created_at'), is_read_only: true },
    { name: 'updated_at', kind: 'date', label: say('common:updated_at'), is_read_only: true, is_sortable: true },
  ],
})
