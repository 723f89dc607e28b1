import type { Language } from '@mdm/contract'
import { constants } from '@mdm/contract'

type Kind = 'invitation' | 'password_reset'
type Words = Record<Kind, { subject: string; lead: (name: string) => string; lives: string; why: string }> & {
  username: string
}

const days = constants.password_link.invitation_hours / 24
const minutes = constants.password_link.reset_minutes
const words: Record<Language, Words> = {
  en: {
    username: 'Login name',
    invitation: {
      subject: 'You are invited to MDM',
      lead: (name) => `Hello ${name},\n\nA login was made for you. Set your password to begin:`,
      lives: `The link works once, within ${days} days.`,
      why: 'If you do not expect this, do nothing: without the link nobody can sign in.',
    },
    password_reset: {
      subject: 'Set a new password',
      lead: (name) => `Hello ${name},\n\nSomebody asked for a new password for your login. Set it here:`,
      lives: `The link works once, within ${minutes} minutes. All other sessions end then.`,
      why: 'If it was not you, do nothing: your password stays as it is.',
    },
  },
  vi: {
    username: 'Tên đăng nhập',
    invitation: {
      subject: 'Bạn được mời vào MDM',
      lead: (name) => `Chào ${name},\n\nMột tài khoản đã được tạo cho bạn. Hãy đặt mật khẩu để bắt đầu:`,
      lives: `Liên kết dùng được một lần, trong ${days} ngày.`,
      why: 'Nếu bạn không chờ thư này, hãy bỏ qua: không có liên kết thì không ai đăng nhập được.',
    },
    password_reset: {
      subject: 'Đặt mật khẩu mới',
      lead: (name) => `Chào ${name},\n\nCó người đã yêu cầu mật khẩu mới cho tài khoản của bạn. Đặt tại đây:`,
      lives: `Liên kết dùng được một lần, trong ${minutes} phút. Mọi phiên khác sẽ kết thúc khi đó.`,
      why: 'Nếu không phải bạn, hãy bỏ qua: mật khẩu của bạn vẫn giữ nguyên.',
    },
  },
  'zh-cn': {
    username: '登录名',
    invitation: {
      subject: '邀请您使用 MDM',
      lead: (name) => `${name}，您好：\n\n已为您创建登录账号。请先设置密码：`,
      lives: `链接仅可使用一次，${days} 天内有效。`,
      why: '如果您并未预期收到此邮件，请忽略：没有链接，任何人都无法登录。',
    },
    password_reset: {
      subject: '设置新密码',
      lead: (name) => `${name}，您好：\n\n有人为您的账号申请了新密码。请在此设置：`,
      lives: `链接仅可使用一次，${minutes} 分钟内有效。设置后其他会话都会结束。`,
      why: '如果不是您本人操作，请忽略：您的密码保持不变。',
    },
  },
}

/** Subject and body, as plain text. */
export function linkMail(
  language: Language,
  { kind, name, username, link }: { kind: Kind; name: string; username: string; link: string },
): { subject: string; body: string } {
  const said = words[language]
  const { subject, lead, lives, why } = said[kind]
  return { subject, body: [lead(name), '', link, '', `${said.username}: ${username}`, lives, '', why].join('\n') }
}
