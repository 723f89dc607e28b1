import { screen } from '../../screen/screen.ts'

export const menuTreeList = screen('/menu-tree-list', {
  group: 'mdm-manage',
  title: 'menuTreeList',
  needs: 'menuTreeList',
  end_type: 2,
  texts: ['menu-tree'],
  page: () => import('./MenuTreePage.tsx'),
})
export const mdmManageMenuTreeAdd = screen('/mdm-manage/menu-tree-add', {
  group: 'mdm-manage',
  title: 'mdmManageMenuTreeAdd',
  needs: 'mdmManageMenuTreeAdd',
  end_type: 2,
  menu: false,
  parent: menuTreeList,
  texts: ['menu-tree'],
  page: () => import('./MenuEntryAddPage.tsx'),
})
export const mdmManageMenuTreeEdit = screen('/mdm-manage/menu-tree-edit', {
  group: 'mdm-manage',
  title: 'mdmManageMenuTreeEdit',
  needs: 'mdmManageMenuTreeEdit',
  end_type: 2,
  menu: false,
  query: ['kid'],
  parent: menuTreeList,
  texts: ['menu-tree'],
  page: () => import('./MenuEntryEditPage.tsx'),
})
export const menuTreeScreens = [menuTreeList, mdmManageMenuTreeAdd, mdmManageMenuTreeEdit]
