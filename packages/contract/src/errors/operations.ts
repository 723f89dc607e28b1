import { entry } from './entry.ts'

/** Background jobs that the provider follows. */
export const operationsErrors = {
  operation_task_unsupported: entry(
    49301,
    409,
    'Tasks of this kind do not support that.',
    'Loại tác vụ này không hỗ trợ thao tác đó.',
    '此类任务不支持该操作。',
  ),
  operation_task_state_wrong: entry(
    49302,
    409,
    'The task cannot do that in its present state.',
    'Không thể thực hiện thao tác này ở trạng thái hiện tại của tác vụ.',
    '任务在当前状态下不能执行该操作。',
  ),

  // API authorisation
  api_app_taken: entry(
    49311,
    422,
    'This app with this certificate is authorized already. Edit that entry instead.',
    'Ứng dụng với chứng chỉ này đã được cấp quyền. Hãy sửa mục đó.',
    '该应用及证书已有授权，请编辑已有条目。',
  ),
  api_list_too_large: entry(
    49312,
    422,
    'The list of the UID {uid} would be larger than {max} MiB. Remove methods or apps.',
    'Danh sách của UID {uid} sẽ lớn hơn {max} MiB. Hãy bớt phương thức hoặc ứng dụng.',
    'UID {uid} 的列表将超过 {max} MiB，请减少方法或应用。',
  ),
}
