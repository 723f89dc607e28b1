import type { texts as english } from '../en/screens.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: {
    login: 'Đăng nhập',
    notFound: 'Không tìm thấy trang',
    redirect: 'Chuyển hướng',
    homeIndex: 'Trang chủ',
    accountIndex: 'Tài khoản',
    deviceList: 'Thiết bị',
    deviceDetailInfo: 'Thiết bị',
    deviceDetailTask: 'Tác vụ của thiết bị',
    deviceDetailPushMessage: 'Gửi thông báo',
    deviceDetailRun: 'Thông tin vận hành',
    deviceDetailEvent: 'Sự kiện thiết bị',
    deviceDetailFsCapture: 'Ảnh chụp màn hình',
    fileCloudList: 'Kho tệp',
    fileCloudPush: 'Đẩy tệp',
    operationLogList: 'Nhật ký thao tác',
    opsOperationLogList: 'Nhật ký thao tác (tất cả)',
    externalUserManageList: 'Người dùng ngoài',
    informationListClientCode: 'Mã khách hàng',
    clientCodeAdd: 'Thêm mã khách hàng',
    clientCodeEdit: 'Sửa mã khách hàng',
  },
  group: {
    static: 'Chung',
    'device-manages': 'Thiết bị',
    'file-manage': 'Tệp',
    'operation-log-manage': 'Vận hành',
    'mdm-manage': 'Quản lý MDM',
  },
}
