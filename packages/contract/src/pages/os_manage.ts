import { capitalised, informationLists, inSentence } from '../os-information.ts'
import type { InformationKey } from '../os-information.ts'
import { text } from '../wire.ts'
import type { Text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

type Lists = {
  [K in InformationKey as `informationList${Capitalize<K>}`]: {
    path: string
    title: Text
    icon: string
    operations: { delete: Text }
  }
}
type Adds = { [K in InformationKey as `${K}Add`]: { path: string; title: Text; parent: string } }
type Edits = {
  [K in InformationKey as `${K}Edit`]: { path: string; title: Text; parent: string; query: readonly ['kid'] }
}

/** Three pages of each list: the rows, one to add and one to edit. */
const information = Object.fromEntries(
  Object.entries(informationLists).flatMap(([key, { path, one, many }]) => {
    const list = `informationList${key.charAt(0).toUpperCase()}${key.slice(1)}`
    return [
      [
        list,
        page(`/information-list/${path}`, capitalised(many), {
          icon: 'list',
          operations: { delete: inSentence(many, 'Delete {}', 'Xóa {}', '删除{}') },
        }),
      ],
      [`${key}Add`, page(`/${path}-add`, inSentence(one, 'Add {}', 'Thêm {}', '添加{}'), { parent: list })],
      [
        `${key}Edit`,
        page(`/${path}-edit`, inSentence(one, 'Edit {}', 'Sửa {}', '编辑{}'), {
          parent: list,
          query: ['kid'] as const,
        }),
      ],
    ]
  }),
) as unknown as Lists & Adds & Edits

export const osManage = pageGroup(
  'os-manage',
  text('Operating systems', 'Hệ điều hành', '操作系统'),
  { icon: 'os', end_type: 2 },
  {
    uidList: page('/uid-list', text('UIDs', 'UID', 'UID'), {
      icon: 'uid',
      operations: { delete: text('Delete UIDs', 'Xóa UID', '删除 UID') },
    }),
    uidListUidListAdd: page('/uid-list/uid-list-add', text('Add UID', 'Thêm UID', '添加 UID'), { parent: 'uidList' }),
    uidListUidListEdit: page('/uid-list/uid-list-edit', text('Edit UID', 'Sửa UID', '编辑 UID'), {
      parent: 'uidList',
      query: ['kid'],
    }),
    ...information,
  },
)
