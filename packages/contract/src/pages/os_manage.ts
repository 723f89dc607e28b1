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

type OsPages<S extends string, Suffix extends string, Facts> = {
  [K in S as `osIssue${K}${Suffix}`]: { path: string; title: Text; parent: 'osIssue' } & Facts
}
type StepName = 'IssueCreateOs' | 'UploadOs' | 'ReleaseOs' | 'CompleteOs'
/** Four steps, each a page of its own, and again for a version that is there. */
const steps = Object.fromEntries(
  (
    [
      [
        'IssueCreateOs',
        'issue-create-os',
        text('Create OS version', 'Tạo phiên bản OS', '新建 OS 版本'),
        text('Edit OS version', 'Sửa phiên bản OS', '编辑 OS 版本'),
      ],
      [
        'UploadOs',
        'upload-os',
        text('Upload OS packages', 'Tải gói OS lên', '上传 OS 安装包'),
        text('Edit OS packages', 'Sửa gói OS', '编辑 OS 安装包'),
      ],
      [
        'ReleaseOs',
        'release-os',
        text('Choose recipients', 'Chọn phạm vi phát hành', '选择开放范围'),
        text('Change recipients', 'Đổi phạm vi phát hành', '更改开放范围'),
      ],
      [
        'CompleteOs',
        'complete-os',
        text('Release OS version', 'Phát hành phiên bản OS', '发布 OS 版本'),
        text('Review and release OS version', 'Xem lại và phát hành phiên bản OS', '检查并发布 OS 版本'),
      ],
    ] as const
  ).flatMap(([name, path, title, edit], at) => {
    const kid = { parent: 'osIssue', query: ['kid'] as const }
    return [
      [`osIssue${name}`, page(`/os-issue/${path}`, title, at === 0 ? { parent: 'osIssue' } : kid)],
      [`osIssue${name}Edit`, page(`/os-issue/${path}-edit`, edit, kid)],
    ]
  }),
  // oxlint-disable-next-line typescript/no-empty-object-type
) as unknown as OsPages<'IssueCreateOs', '', {}> &
  OsPages<Exclude<StepName, 'IssueCreateOs'>, '', { query: readonly ['kid'] }> &
  OsPages<StepName, 'Edit', { query: readonly ['kid'] }>

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
    osIssue: page('/os-issue', text('OS versions', 'Phiên bản OS', 'OS 版本'), {
      icon: 'os',
      operations: {
        delete: text('Delete OS versions', 'Xóa phiên bản OS', '删除 OS 版本'),
        offline: text('Take OS versions offline', 'Ngừng phát hành phiên bản OS', '下线 OS 版本'),
        key: text('Change the signing key', 'Đổi khóa ký', '更换签名密钥'),
      },
    }),
    ...steps,
    osIssueOsDetail: page('/os-issue/os-detail', text('OS version', 'Phiên bản OS', 'OS 版本详情'), {
      parent: 'osIssue',
      record: 'kid',
    }),
    ...information,
    oscsModelManageList: page('/oscs-model-manage-list', text('Model codes', 'Mã kiểu máy', '型号代码'), {
      icon: 'device-list',
      operations: { delete: text('Delete model codes', 'Xóa mã kiểu máy', '删除型号代码') },
    }),
    oscsModelManageAdd: page('/oscs-model-manage-add', text('Add model code', 'Thêm mã kiểu máy', '添加型号代码'), {
      parent: 'oscsModelManageList',
    }),
    oscsModelManageEdit: page('/oscs-model-manage-edit', text('Edit model code', 'Sửa mã kiểu máy', '编辑型号代码'), {
      parent: 'oscsModelManageList',
      query: ['kid'],
    }),
    oscsBaseManageList: page('/oscs-base-manage-list', text('Base OS versions', 'Phiên bản OS gốc', '基础 OS 版本'), {
      icon: 'os',
      operations: { delete: text('Delete base OS versions', 'Xóa phiên bản OS gốc', '删除基础 OS 版本') },
    }),
    oscsBaseManageAdd: page(
      '/oscs-base-manage-add',
      text('Add base OS version', 'Thêm phiên bản OS gốc', '添加基础 OS 版本'),
      { parent: 'oscsBaseManageList' },
    ),
    oscsBaseManageEdit: page(
      '/oscs-base-manage-edit',
      text('Edit base OS version', 'Sửa phiên bản OS gốc', '编辑基础 OS 版本'),
      { parent: 'oscsBaseManageList', query: ['kid'] },
    ),
  },
)

/** Operating systems that customers have built for their own devices. */
export const userOscsManage = pageGroup(
  'user-oscs-manage',
  text('Custom OS', 'OS tùy chỉnh', '定制 OS'),
  { icon: 'tool', end_type: 1 },
  {
    userOsCustomList: page('/user-os-custom-list', text('Custom OS', 'OS tùy chỉnh', '定制 OS'), {
      icon: 'tool',
      operations: {
        build: text('Build custom OS', 'Tạo gói OS tùy chỉnh', '构建定制 OS'),
        release: text('Release custom OS', 'Phát hành OS tùy chỉnh', '发布定制 OS'),
        delete: text('Delete custom OS', 'Xóa OS tùy chỉnh', '删除定制 OS'),
      },
    }),
    userOsCustomAdd: page('/user-os-custom-add', text('Add custom OS', 'Thêm OS tùy chỉnh', '添加定制 OS'), {
      parent: 'userOsCustomList',
    }),
    userOsCustomEdit: page('/user-os-custom-edit', text('Edit custom OS', 'Sửa OS tùy chỉnh', '编辑定制 OS'), {
      parent: 'userOsCustomList',
      query: ['kid'],
    }),
    userOsCustomApp: page('/user-os-custom-app', text('App information', 'Thông tin ứng dụng', '应用信息'), {
      parent: 'userOsCustomList',
      record: 'kid',
    }),
  },
)

/** What a customer does with them. */
export const userOsManage = pageGroup(
  'user-os-manage',
  text('OS', 'Hệ điều hành', 'OS'),
  { icon: 'os', end_type: 1 },
  {
    userOsPushList: page('/user-os-push-list', text('OS push', 'Đẩy OS', 'OS 推送'), { icon: 'os' }),
    userOsPush: page('/user-os-push', text('Push OS', 'Đẩy OS đến thiết bị', '推送 OS'), { parent: 'userOsPushList' }),
  },
)
