import { screen } from '../../screen/screen.ts'

export const informationListClientCode = screen('/information-list/client-code', {
  group: 'mdm-manage',
  title: 'informationListClientCode',
  needs: 'informationListClientCode',
  end_type: 2,
  texts: ['client-code'],
  page: () => import('./ClientCodesPage.tsx'),
})
export const clientCodeAdd = screen('/client-code-add', {
  group: 'mdm-manage',
  title: 'clientCodeAdd',
  needs: 'clientCodeAdd',
  end_type: 2,
  menu: false,
  parent: informationListClientCode,
  texts: ['client-code'],
  page: () => import('./ClientCodeAddPage.tsx'),
})
export const clientCodeEdit = screen('/client-code-edit', {
  group: 'mdm-manage',
  title: 'clientCodeEdit',
  needs: 'clientCodeEdit',
  end_type: 2,
  menu: false,
  query: ['kid'],
  parent: informationListClientCode,
  texts: ['client-code'],
  page: () => import('./ClientCodeEditPage.tsx'),
})
export const clientCodeScreens = [informationListClientCode, clientCodeAdd, clientCodeEdit]
