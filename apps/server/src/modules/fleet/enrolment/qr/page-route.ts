import type { Language } from '@mdm/contract'
import type { FastifyInstance } from 'fastify'
import { requestInfo } from '../../../../http/request.ts'

const words: Record<Language, { title: string; texts: [string, string] }> = {
  en: {
    title: 'This code is for a device',
    texts: [
      'It registers a terminal: scan it with the agent on the terminal, not with a phone. Nothing was registered by opening this page.',
      'If the agent is not installed yet, or the code has expired, ask whoever manages your devices for a new one.',
    ],
  },
  vi: {
    title: 'Mã này dành cho thiết bị',
    texts: [
      'Mã dùng để đăng ký thiết bị đầu cuối: hãy quét bằng ứng dụng agent trên thiết bị, không phải bằng điện thoại. Mở trang này không đăng ký gì cả.',
      'Nếu chưa cài agent hoặc mã đã hết hạn, hãy xin mã mới từ người quản lý thiết bị của bạn.',
    ],
  },
  'zh-cn': {
    title: '此二维码供设备使用',
    texts: [
      '它用于注册终端：请用终端上的代理程序扫描，而不是用手机。打开本页面不会注册任何设备。',
      '如果终端尚未安装代理程序，或二维码已过期，请向设备管理员索取新的二维码。',
    ],
  },
}

/** What a QR code of a registration says to those who open it in a browser. The token stays where it is. */
export function mountEnrolPage(app: FastifyInstance): void {
  app.get('/enrol', async (request, reply) => {
    const language = requestInfo(request).language
    const { title, texts } = words[language]
    const page = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<h1>${title}</h1>
${texts.map((text) => `<p>${text}</p>`).join('\n')}
</html>
`
    return reply
      .headers({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-type': 'text/html; charset=utf-8',
      })
      .send(page)
  })
}
