import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const general = pageGroup(
  'static',
  text('General', 'Chung', '常规'),
  { icon: null, end_type: 1 },
  {
    login: page('/login', text('Sign in', 'Đăng nhập', '登录'), { needs: 'public', is_hidden: true }),
    setPassword: page('/set-password', text('Set the password', 'Đặt mật khẩu', '设置密码'), {
      needs: 'public',
      is_hidden: true,
    }),
    notFound: page('/404', text('Page not found', 'Không tìm thấy trang', '页面不存在'), {
      needs: 'signed_in',
      end_type: 2,
      is_hidden: true,
    }),
    redirect: page('/redirect/*', text('Redirect', 'Chuyển hướng', '跳转'), {
      needs: 'signed_in',
      end_type: 2,
      is_hidden: true,
    }),
    homeIndex: page('/home/index', text('Home', 'Trang chủ', '首页'), {
      icon: 'home',
      provider_entry: 'opsHomeIndex',
      is_open_outside: true,
    }),
    accountIndex: page('/account/index', text('Account', 'Tài khoản', '账号信息'), {
      needs: 'signed_in',
      icon: 'user',
      end_type: 2,
      is_hidden: true,
    }),
  },
)
